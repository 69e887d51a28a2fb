#pragma once
/// \file
/// Typed access to the metadata keys of one architecture in a GGUF file; errors name the key. A
/// view: the file outlives it.

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/format/gguf.h"

namespace lacuna {

class GgufKeys {
  public:
    /// `prefix` is the value of `general.architecture`.
    GgufKeys(const GgufFile& file, std::string_view prefix) : file_(file), prefix_(prefix) {}

    [[nodiscard]] std::string key(std::string_view suffix) const;
    [[nodiscard]] bool has(std::string_view suffix) const { return file_.has(key(suffix)); }
    /// 0 or more. Errors: GgufMetaType; `tooLarge` above 2^31 - 1.
    [[nodiscard]] Result<std::optional<int>> optionalInt(std::string_view suffix,
                                                         ErrorCode tooLarge) const;
    /// As optionalInt. Errors: also ModelMissingKey.
    [[nodiscard]] Result<int> requiredInt(std::string_view suffix, ErrorCode tooLarge) const;
    /// A number, or a list with the same number for each of `layers`. Errors: also `wrong`, for
    /// lists of another length, of lists, or of differing numbers.
    [[nodiscard]] Result<std::optional<int>> sameInAllLayers(std::string_view suffix, int layers,
                                                             ErrorCode wrong) const;
    /// A number, or a list with a number for each of `layers`; one for each in both cases, or empty
    /// if the key is absent. Errors: GgufMetaType; `wrong` for lists of another length or of lists.
    [[nodiscard]] Result<std::vector<int>> perLayer(std::string_view suffix, int layers,
                                                    ErrorCode wrong) const;
    [[nodiscard]] Result<std::optional<double>> number(std::string_view suffix) const;
    [[nodiscard]] Result<std::optional<bool>> flag(std::string_view suffix) const;
    [[nodiscard]] Result<std::optional<std::string_view>> text(std::string_view suffix) const;
    [[nodiscard]] const GgufFile& file() const { return file_; }
    /// Full names of all keys that were requested.
    [[nodiscard]] const std::set<std::string, std::less<>>& used() const { return used_; }

  private:
    const GgufFile& file_;
    std::string prefix_;
    mutable std::set<std::string, std::less<>> used_;
};

}  // namespace lacuna
