// Compiled once so that the precompiled header has a target that makes it.
