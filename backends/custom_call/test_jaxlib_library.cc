// Handlers written against jaxlib's own public headers; a test compiles this
// where they are installed.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

static ffi::Error Scale(float scale, ffi::Span<const int64_t> extra,
                        std::string_view mode, ffi::Buffer<ffi::F32> x,
                        ffi::ResultBuffer<ffi::F32> y) {
  if (mode == "fail") return ffi::Error::InvalidArgument("mode fail");
  float bias = 0;
  for (int64_t e : extra) bias += static_cast<float>(e);
  for (size_t k = 0; k < x.element_count(); ++k) {
    y->typed_data()[k] = x.typed_data()[k] * scale + bias;
  }
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(jax_scale, Scale,
                              ffi::Ffi::Bind()
                                  .Attr<float>("scale")
                                  .Attr<ffi::Span<const int64_t>>("extra")
                                  .Attr<std::string_view>("mode")
                                  .Arg<ffi::Buffer<ffi::F32>>()
                                  .Ret<ffi::Buffer<ffi::F32>>());

// All attributes in a dictionary that holds another one.
static ffi::Error Dictionary(ffi::Dictionary attrs, ffi::RemainingArgs args,
                             ffi::RemainingRets rets) {
  auto inner = attrs.get<ffi::Dictionary>("options");
  if (inner.has_error()) return inner.error();
  auto eps = inner->get<double>("eps");
  if (eps.has_error()) return eps.error();
  auto exact = inner->get<bool>("exact");
  if (exact.has_error()) return exact.error();
  auto out = rets.get<ffi::Buffer<ffi::F64>>(0);
  if (out.has_error()) return out.error();
  (*out)->typed_data()[0] = *eps;
  (*out)->typed_data()[1] = *exact;
  (*out)->typed_data()[2] = static_cast<double>(args.size());
  (*out)->typed_data()[3] = static_cast<double>(attrs.size());
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(jax_dictionary, Dictionary,
                              ffi::Ffi::Bind()
                                  .Attrs()
                                  .RemainingArgs()
                                  .RemainingRets());

struct Total {
  static ffi::TypeId id;
  int64_t value = 0;
};
ffi::TypeId Total::id = {};
static constexpr auto kTotalInfo = ffi::MakeTypeInfo<Total>();
XLA_FFI_REGISTER_TYPE(XLA_FFI_GetApi(), "test.total", &Total::id, &kTotalInfo);

static ffi::ErrorOr<std::unique_ptr<Total>> MakeTotal(int64_t start) {
  auto total = std::make_unique<Total>();
  total->value = start;
  return total;
}

static ffi::Error AddToTotal(Total* total, ffi::RunId run, int32_t device,
                             ffi::ThreadPool pool, ffi::Buffer<ffi::S64> x,
                             ffi::ResultBuffer<ffi::S64> y) {
  total->value += *x.typed_data();
  *y->typed_data() = total->value;
  if (run.run_id <= 0 || device != 0 || pool.num_threads() < 1) {
    return ffi::Error::Internal("unexpected environment");
  }
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER(kMakeTotal, MakeTotal,
                       ffi::Ffi::BindInstantiate().Attr<int64_t>("start"));
XLA_FFI_DEFINE_HANDLER(kAddToTotal, AddToTotal,
                       ffi::Ffi::Bind()
                           .Ctx<ffi::State<Total>>()
                           .Ctx<ffi::RunId>()
                           .Ctx<ffi::DeviceOrdinal>()
                           .Ctx<ffi::ThreadPool>()
                           .Arg<ffi::Buffer<ffi::S64>>()
                           .Ret<ffi::Buffer<ffi::S64>>());
XLA_FFI_REGISTER_HANDLER(XLA_FFI_GetApi(), "jax.total", "Host",
                         (XLA_FFI_Handler_Bundle{kMakeTotal, nullptr, nullptr,
                                                 kAddToTotal}));

static ffi::Future Later(ffi::ThreadPool pool, ffi::Buffer<ffi::F32> x,
                         ffi::ResultBuffer<ffi::F32> y) {
  ffi::Promise promise;
  ffi::Future future(promise);
  pool.Schedule([x, y, p = std::move(promise)]() mutable {
    *y->typed_data() = *x.typed_data() * 3;
    if (*x.typed_data() < 0) {
      p.SetError(ffi::Error::Internal("negative"));
    } else {
      p.SetAvailable();
    }
  });
  return future;
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(jax_later, Later,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ThreadPool>()
                                  .Arg<ffi::Buffer<ffi::F32>>()
                                  .Ret<ffi::Buffer<ffi::F32>>());
