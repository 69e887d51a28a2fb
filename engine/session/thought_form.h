#pragma once
/// \file
/// States how the answers of a model separate reasoning from text. Plain values.

#include <functional>
#include <memory>
#include <string>

#include "engine/base/ids.h"
#include "engine/template/thought_stream.h"

namespace lacuna {

struct LoadedModel;

struct ThoughtForm {
    ThoughtStream::Begins begins = ThoughtStream::Begins::Open;
    ThoughtMarks marks = {};
    /// Returns the text of a control token that separates parts of an answer, and nothing for other
    /// tokens; null if the marks are text.
    std::function<std::string(TokenId token)> markText = {};
};

/// Reads the form from the template of `model`; null if it is unknown, which returns the default.
[[nodiscard]] ThoughtForm thoughtFormOf(const std::shared_ptr<const LoadedModel>& model);

}  // namespace lacuna
