#pragma once
/// \file
/// Why an answer ended. Plain data.

namespace lacuna {

enum class FinishReason {
    Stop,         ///< the model's own end token
    StopString,   ///< one of the request's stop strings
    Length,       ///< the longest allowed answer
    ContextFull,  ///< no room in the context for one more token
    Cancelled,    ///< the person asked to stop
    Error,
};

}  // namespace lacuna
