#pragma once
/// \file
/// Reasons why a download fails or stops: an actionable message, a stable name, and the error class
/// that determines the exit status of the command line. Plain values.

#include <QString>
#include <tl/expected.hpp>

#include "engine/base/error_codes.h"

namespace lacuna::app {

enum class HubFault {
    Address,    ///< the input names no model and no file
    Http,       ///< unexpected HTTP status
    Reach,      ///< server unreachable, too slow, or connection lost
    Tls,        ///< untrusted certificate, or no TLS support
    Redirect,   ///< redirect to a forbidden address
    Listing,    ///< the file list of the repository is invalid
    Name,       ///< invalid file name
    Size,       ///< more or fewer bytes than announced
    Space,      ///< disk full
    Write,      ///< write error
    Hash,       ///< wrong digest
    NotAModel,  ///< not a model, for example a web page or an archive
    There,      ///< another file of that name exists
    Busy,       ///< being written by another window or program
    Stopped,    ///< stopped by the user
};

struct HubProblem {
    HubFault fault = HubFault::Reach;
    QString sentence;
};

template <class T>
using HubResult = tl::expected<T, HubProblem>;

[[nodiscard]] inline tl::unexpected<HubProblem> hubFail(HubFault fault, const QString& sentence) {
    return tl::make_unexpected(HubProblem{fault, sentence});
}

/// Returns the stable name, such as "DL_HTTP".
[[nodiscard]] const char* faultName(HubFault fault);
[[nodiscard]] ErrorClass faultClass(HubFault fault);

}  // namespace lacuna::app
