// Precompiled for tests: as precompiled.h, and GoogleTest.
#include "cmake/precompiled.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
