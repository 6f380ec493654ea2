"""The modules of benchmarks/cpu_vs_jaxlib: one operation or a few of them."""
import collections

# `flops` counts multiplications and additions, `bytes` what must be read and
# written at least.
Kernel = collections.namedtuple("Kernel", "name text flops bytes")

ADD = ("add { a = $T[] parameter(0) b = $T[] parameter(1) "
       "ROOT r = $T[] add(a, b) }\n")
MAX = ("max { a = $T[] parameter(0) b = $T[] parameter(1) "
       "ROOT r = $T[] maximum(a, b) }\n")


def module(name, entry, regions="", type="f32"):
    text = f"HloModule {name}\n{regions}ENTRY e {{\n{entry}\n}}\n"
    return text.replace("$T", type)


def dot(name, m, k, n, type="f32", out=None):
    out = out or type
    width = {"f32": 4, "bf16": 2, "s8": 1}[type]
    text = module(name, f"""
  a = {type}[{m},{k}] parameter(0)
  b = {type}[{k},{n}] parameter(1)
  ROOT r = {out}[{m},{n}] dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}""")
    return Kernel(name, text, 2 * m * k * n, width * (m * k + k * n) + 4 * m * n)


def batched_dot(name, batch, m, k, n):
    text = module(name, f"""
  a = f32[{batch},{m},{k}] parameter(0)
  b = f32[{batch},{k},{n}] parameter(1)
  ROOT r = f32[{batch},{m},{n}] dot(a, b), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, lhs_contracting_dims={{2}}, rhs_contracting_dims={{1}}""")
    return Kernel(name, text, 2 * batch * m * k * n,
                  4 * batch * (m * k + k * n + m * n))


def matvec(name, m, k):
    text = module(name, f"""
  a = f32[{m},{k}] parameter(0)
  b = f32[{k}] parameter(1)
  ROOT r = f32[{m}] dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}""")
    return Kernel(name, text, 2 * m * k, 4 * (m * k + m + k))


def convolution(name, n, size, cin, cout, window, stride=1):
    out = (size + stride - 1) // stride
    pad = window // 2
    text = module(name, f"""
  x = f32[{n},{size},{size},{cin}] parameter(0)
  w = f32[{window},{window},{cin},{cout}] parameter(1)
  ROOT r = f32[{n},{out},{out},{cout}] convolution(x, w), window={{size={window}x{window} stride={stride}x{stride} pad={pad}_{pad if stride == 1 else pad - 1 + window % 2 - (0 if window % 2 else 1)}x{pad}_{pad if stride == 1 else pad - 1 + window % 2 - (0 if window % 2 else 1)}}}, dim_labels=b01f_01io->b01f""")
    return Kernel(name, text, 2 * n * out * out * cin * cout * window ** 2,
                  4 * (n * size * size * cin + n * out * out * cout))


def softmax(rows, columns):
    shape = f"f32[{rows},{columns}]"
    text = module("softmax", f"""
  x = {shape} parameter(0)
  low = f32[] constant(-inf)
  zero = f32[] constant(0)
  m = f32[{rows}] reduce(x, low), dimensions={{1}}, to_apply=max
  mb = {shape} broadcast(m), dimensions={{0}}
  d = {shape} subtract(x, mb)
  e = {shape} exponential(d)
  s = f32[{rows}] reduce(e, zero), dimensions={{1}}, to_apply=add
  sb = {shape} broadcast(s), dimensions={{0}}
  ROOT r = {shape} divide(e, sb)""", ADD + MAX)
    return Kernel("softmax", text, 0, 8 * rows * columns)


def layernorm(rows, columns):
    shape = f"f32[{rows},{columns}]"
    text = module("layernorm", f"""
  x = {shape} parameter(0)
  gain = f32[{columns}] parameter(1)
  bias = f32[{columns}] parameter(2)
  zero = f32[] constant(0)
  n = f32[] constant({columns})
  nb = f32[{rows}] broadcast(n), dimensions={{}}
  eps = f32[] constant(1e-5)
  epsb = f32[{rows}] broadcast(eps), dimensions={{}}
  s = f32[{rows}] reduce(x, zero), dimensions={{1}}, to_apply=add
  mean = f32[{rows}] divide(s, nb)
  meanb = {shape} broadcast(mean), dimensions={{0}}
  d = {shape} subtract(x, meanb)
  dd = {shape} multiply(d, d)
  v = f32[{rows}] reduce(dd, zero), dimensions={{1}}, to_apply=add
  var = f32[{rows}] divide(v, nb)
  vare = f32[{rows}] add(var, epsb)
  inv = f32[{rows}] rsqrt(vare)
  invb = {shape} broadcast(inv), dimensions={{0}}
  gb = {shape} broadcast(gain), dimensions={{1}}
  bb = {shape} broadcast(bias), dimensions={{1}}
  y = {shape} multiply(d, invb)
  z = {shape} multiply(y, gb)
  ROOT r = {shape} add(z, bb)""", ADD)
    return Kernel("layernorm", text, 0, 8 * rows * columns)


def gelu(rows, columns):
    shape = f"f32[{rows},{columns}]"
    text = module("gelu", f"""
  x = {shape} parameter(0)
  c0 = f32[] constant(0.044715)
  c1 = f32[] constant(0.7978845608)
  half = f32[] constant(0.5)
  one = f32[] constant(1)
  c0b = {shape} broadcast(c0), dimensions={{}}
  c1b = {shape} broadcast(c1), dimensions={{}}
  hb = {shape} broadcast(half), dimensions={{}}
  ob = {shape} broadcast(one), dimensions={{}}
  x2 = {shape} multiply(x, x)
  x3 = {shape} multiply(x2, x)
  t0 = {shape} multiply(x3, c0b)
  t1 = {shape} add(x, t0)
  t2 = {shape} multiply(t1, c1b)
  t3 = {shape} tanh(t2)
  t4 = {shape} add(t3, ob)
  t5 = {shape} multiply(t4, hb)
  ROOT r = {shape} multiply(x, t5)""")
    return Kernel("gelu", text, 0, 8 * rows * columns)


def unary(op, rows, columns):
    shape = f"f32[{rows},{columns}]"
    return Kernel(op, module(op, f"""
  x = {shape} parameter(0)
  ROOT r = {shape} {op}(x)"""), 0, 8 * rows * columns)


def reduce(name, dims, over):
    shape = f"f32[{','.join(map(str, dims))}]"
    kept = [d for k, d in enumerate(dims) if k not in over]
    size = 1
    for d in dims:
        size *= d
    return Kernel(name, module(name, f"""
  x = {shape} parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[{','.join(map(str, kept))}] reduce(x, zero), dimensions={{{','.join(map(str, over))}}}, to_apply=add""", ADD), size, 4 * size)


def transpose(name, dims, order):
    size = 1
    for d in dims:
        size *= d
    out = [dims[k] for k in order]
    return Kernel(name, module(name, f"""
  x = f32[{','.join(map(str, dims))}] parameter(0)
  ROOT r = f32[{','.join(map(str, out))}] transpose(x), dimensions={{{','.join(map(str, order))}}}"""), 0, 8 * size)


def sort(rows, columns):
    return Kernel("sort", module("sort", f"""
  x = f32[{rows},{columns}] parameter(0)
  ROOT r = f32[{rows},{columns}] sort(x), dimensions={{1}}, to_apply=less""",
      "less { a = f32[] parameter(0) b = f32[] parameter(1) "
      "ROOT r = pred[] compare(a, b), direction=LT }\n"), 0, 0)


def gather(rows, columns, count):
    return Kernel("gather_rows", module("gather_rows", f"""
  x = f32[{rows},{columns}] parameter(0)
  i = s32[{count},1] parameter(1)
  ROOT r = f32[{count},{columns}] gather(x, i), offset_dims={{1}}, collapsed_slice_dims={{0}}, start_index_map={{0}}, index_vector_dim=1, slice_sizes={{1,{columns}}}"""),
        0, 8 * count * columns)


def scatter(rows, columns, count):
    return Kernel("scatter_add", module("scatter_add", f"""
  x = f32[{rows},{columns}] parameter(0)
  i = s32[{count},1] parameter(1)
  u = f32[{count},{columns}] parameter(2)
  ROOT r = f32[{rows},{columns}] scatter(x, i, u), update_window_dims={{1}}, inserted_window_dims={{0}}, scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, to_apply=add""",
      ADD), 0, 8 * rows * columns + 4 * count * columns)


def cumsum(rows, columns):
    return Kernel("cumsum", module("cumsum", f"""
  x = f32[{rows},{columns}] parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[{rows},{columns}] reduce-window(x, zero), window={{size=1x{columns} pad=0_0x{columns - 1}_0}}, to_apply=add""",
      ADD), 0, 8 * rows * columns)


KERNELS = [
    dot("matmul_f32_64", 64, 64, 64),
    dot("matmul_f32_256", 256, 256, 256),
    dot("matmul_f32_1024", 1024, 1024, 1024),
    dot("matmul_f32_8x1024x4096", 8, 1024, 4096),
    dot("matmul_bf16_512", 512, 512, 512, "bf16"),
    dot("matmul_s8_512", 512, 512, 512, "s8", "s32"),
    matvec("matvec_f32_4096", 4096, 4096),
    batched_dot("batched_f32_64x128", 64, 128, 64, 128),
    convolution("conv_3x3_64", 8, 56, 64, 64, 3),
    convolution("conv_1x1_256", 8, 28, 256, 256, 1),
    softmax(4096, 1024),
    layernorm(4096, 1024),
    gelu(4096, 1024),
    unary("exponential", 4096, 1024),
    unary("tanh", 4096, 1024),
    unary("sine", 4096, 1024),
    reduce("reduce_rows", [4096, 1024], [1]),
    reduce("reduce_columns", [4096, 1024], [0]),
    reduce("reduce_middle", [64, 256, 256], [1]),
    reduce("reduce_all", [4096, 1024], [0, 1]),
    transpose("transpose_2d", [2048, 2048], [1, 0]),
    transpose("transpose_4d", [16, 128, 12, 64], [0, 2, 1, 3]),
    sort(256, 4096),
    gather(50000, 256, 4096),
    scatter(50000, 64, 4096),
    cumsum(256, 4096),
]
