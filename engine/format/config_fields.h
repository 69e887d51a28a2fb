#pragma once
/// \file
/// Typed access to the members of one JSON object of a `config.json`; errors name file, path, found
/// and expected. A view: the object outlives it.

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"

namespace lacuna {

inline constexpr const char* kConfigFile = "config.json";

class ConfigFields {
  public:
    /// `path` precedes the names in messages: "", or "rope_scaling.".
    ConfigFields(const Json& object, std::string path)
        : object_(object), path_(std::move(path)), used_(std::make_shared<Names>()) {}

    /// Null for absent members and for those that are null.
    [[nodiscard]] const Json* find(const char* name) const;
    /// True also for members that are null.
    [[nodiscard]] bool hasMember(const char* name) const {
        used_->insert(name);
        return object_.contains(name);
    }
    /// 0 or more. Errors: Config; `tooLarge` for numbers below 0 or above 2^31 - 1.
    [[nodiscard]] Result<std::optional<int>> optionalInt(const char* name,
                                                         ErrorCode tooLarge) const;
    /// As optionalInt; ModelMissingKey when absent and `fallback` is 0.
    [[nodiscard]] Result<int> requiredInt(const char* name, ErrorCode tooLarge,
                                          int fallback = 0) const;
    /// Like optionalInt, but also accepts a list with one equal value for each layer. Errors: also
    /// Unsupported for differing values.
    [[nodiscard]] Result<std::optional<int>> sameInt(const char* name, ErrorCode tooLarge) const;
    [[nodiscard]] Result<std::optional<double>> optionalNumber(const char* name) const;
    [[nodiscard]] Result<double> number(const char* name, double fallback) const;
    [[nodiscard]] Result<std::optional<bool>> optionalFlag(const char* name) const;
    [[nodiscard]] Result<bool> flag(const char* name, bool fallback = false) const;
    [[nodiscard]] Result<std::optional<std::string>> text(const char* name) const;
    [[nodiscard]] Result<std::optional<std::vector<float>>> numbers(const char* name) const;
    /// Whole numbers of 0 or more.
    [[nodiscard]] Result<std::optional<std::vector<int>>> ints(const char* name) const;
    [[nodiscard]] Result<std::optional<std::vector<std::string>>> texts(const char* name) const;
    [[nodiscard]] tl::unexpected<Error> wrong(const char* name, std::string_view expected) const;
    /// Returns Unsupported, naming the field and its value.
    [[nodiscard]] tl::unexpected<Error> refuse(const char* name) const;
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] const Json& object() const { return object_; }
    /// True if this view or a copy of it was queried for the member.
    [[nodiscard]] bool used(std::string_view name) const { return used_->contains(name); }

  private:
    using Names = std::set<std::string, std::less<>>;
    [[nodiscard]] Result<const Json*> list(const char* name) const;

    const Json& object_;
    std::string path_;
    std::shared_ptr<Names> used_;
};

}  // namespace lacuna
