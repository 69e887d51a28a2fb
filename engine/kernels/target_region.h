#pragma once
/// \file
/// Opens a region of a file that is compiled for instructions its neighbours may not use. It is
/// opened after all includes, so that no inline function shared with other files is compiled for
/// them; functions called from outside must be plain. The region ends before the end of the file.

#define LACUNA_PRAGMA(text) _Pragma(#text)

#if defined(__clang__)
#define LACUNA_TARGET_BEGIN(features) \
    LACUNA_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define LACUNA_TARGET_END LACUNA_PRAGMA(clang attribute pop)
#else
#define LACUNA_TARGET_BEGIN(features) \
    LACUNA_PRAGMA(GCC push_options)   \
    LACUNA_PRAGMA(GCC target(features))
#define LACUNA_TARGET_END LACUNA_PRAGMA(GCC pop_options)
#endif
