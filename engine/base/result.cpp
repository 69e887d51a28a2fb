#include "engine/base/result.h"

namespace lacuna {

std::string_view errorName(ErrorCode code) {
    switch (code) {
#define LACUNA_X(name, text, cls) \
    case ErrorCode::name:         \
        return text;
        LACUNA_ERROR_CODES(LACUNA_X)
#undef LACUNA_X
    }
    return "INTERNAL";
}

ErrorClass errorClass(ErrorCode code) {
    switch (code) {
#define LACUNA_X(name, text, cls) \
    case ErrorCode::name:         \
        return ErrorClass::cls;
        LACUNA_ERROR_CODES(LACUNA_X)
#undef LACUNA_X
    }
    return ErrorClass::Internal;
}

std::string describe(const Error& error) {
    return std::string(errorName(error.code)) + ": " + error.what;
}

Error withPrefix(Error error, std::string_view prefix) {
    error.what = std::string(prefix) + ": " + error.what;
    return error;
}

}  // namespace lacuna
