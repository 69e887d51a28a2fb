#pragma once
/// \file
/// Maps SQLite status codes to ErrorCode. For modules that link SQLite.

#include <sqlite3.h>

#include "engine/base/error_codes.h"

namespace lacuna {

inline ErrorCode sqliteErrorCode(int status) {
    switch (status & 0xFF) {  // the higher bits only give details of the same error
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            return ErrorCode::Corrupt;
        case SQLITE_CANTOPEN:
        case SQLITE_PERM:
        case SQLITE_READONLY:
            return ErrorCode::Denied;
        default:
            return ErrorCode::Write;
    }
}

}  // namespace lacuna
