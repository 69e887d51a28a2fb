#pragma once
/// \file
/// What ends or holds a download, in words a person can act on, each kind with a name that never
/// changes and the class that decides the exit status of the command line. Plain values.

#include <QString>
#include <tl/expected.hpp>

#include "engine/base/error_codes.h"

namespace lacuna::app {

enum class HubFault {
    Address,    ///< what was typed names no model and no file
    Http,       ///< the server answers with another status than it should
    Reach,      ///< the server is not reached, too slow, or breaks off
    Tls,        ///< its certificate is not one to trust, or there is no encryption here
    Redirect,   ///< it sends to where nothing is fetched from
    Listing,    ///< what it says of a repository cannot be understood
    Name,       ///< a name that no file of ours gets
    Size,       ///< more or fewer bytes than were said
    Space,      ///< the disk has no room
    Write,      ///< the disk takes nothing
    Hash,       ///< right length, wrong bytes
    NotAModel,  ///< a web page, an archive, ...
    There,      ///< a file of that name is there and is another one
    Busy,       ///< another window or program writes it
    Stopped,    ///< a person stopped it
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

/// "DL_HTTP".
[[nodiscard]] const char* faultName(HubFault fault);
[[nodiscard]] ErrorClass faultClass(HubFault fault);

}  // namespace lacuna::app
