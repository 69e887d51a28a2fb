#pragma once
/// \file
/// Nothing that a command writes may replace what it reads: asked before any work is done.

#include <string>
#include <vector>

#include "engine/base/result.h"

namespace lacuna::cli {

/// What a command was told to read and to write; names that are empty, and "-", are none.
struct CommandFiles {
    std::vector<std::string> outputs;
    std::vector<std::string> models;  ///< GGUF files or folders, with what else belongs to them
    std::vector<std::string> inputs;
    bool profile = true;  ///< the head profile next to a model is read, too
};

/// Errors: InvalidArgument where an output is an input, links to one or lies among the files of a
/// model.
[[nodiscard]] Status checkOutputs(const CommandFiles& files);

/// Files that a report writes into `folder`; none when that is empty.
[[nodiscard]] std::vector<std::string> reportFiles(const std::string& folder);
/// Files that a measurement of this name writes into `folder`; none when that is empty.
[[nodiscard]] std::vector<std::string> gridFiles(const std::string& folder,
                                                 const std::string& name);

}  // namespace lacuna::cli
