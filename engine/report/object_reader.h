#pragma once
/// \file
/// Strict reading of JSON objects: each member once, right kind, in range; unknown members are
/// named. The first problem is kept and everything after it reads as a neutral value, so that
/// readers need no check after each member. Internal to this room; owned by one thread.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"

namespace lacuna {

/// First problem of a document.
class ReadProblem {
  public:
    void note(ErrorCode code, std::string what) {
        if (!error_) error_ = Error{code, std::move(what), {}};
    }
    void note(Error error) {
        if (!error_) error_ = std::move(error);
    }
    [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  private:
    std::optional<Error> error_;
};

class ObjectReader {
  public:
    /// `path` stands before member names in messages; empty at the top.
    ObjectReader(const Json& object, std::string path, ReadProblem& problem);
    /// Reports members nobody asked for.
    ~ObjectReader();
    ObjectReader(const ObjectReader&) = delete;
    ObjectReader& operator=(const ObjectReader&) = delete;

    [[nodiscard]] std::string text(std::string_view key);
    [[nodiscard]] std::int64_t count(std::string_view key);  ///< whole, >= 0
    [[nodiscard]] int smallCount(std::string_view key);      ///< whole, 0 to 2^31 - 1
    [[nodiscard]] std::uint64_t bits(std::string_view key);  ///< whole, 0 to 2^64 - 1
    [[nodiscard]] double amount(std::string_view key);       ///< finite, >= 0
    [[nodiscard]] bool flag(std::string_view key);
    [[nodiscard]] std::optional<double> optionalAmount(std::string_view key);
    /// Whether a member stands there that older reports do not have.
    [[nodiscard]] bool has(std::string_view key) const {
        return object_.contains(std::string(key));
    }
    [[nodiscard]] std::vector<std::string> texts(std::string_view key);
    /// A member for a reader of its own; null (and a problem) when it is missing.
    [[nodiscard]] const Json& member(std::string_view key);
    [[nodiscard]] const Json& list(std::string_view key);
    [[nodiscard]] std::string pathOf(std::string_view key) const;
    [[nodiscard]] ReadProblem& problem() { return problem_; }

    /// Value of a name by one of the ...Named functions.
    template <class Enum>
    [[nodiscard]] Enum named(std::string_view key, std::optional<Enum> (*find)(std::string_view)) {
        const std::string name = text(key);
        const std::optional<Enum> value = find(name);
        if (!value) wrong(key, "'" + name + "', which is no known name");
        return value.value_or(Enum{});
    }

  private:
    void wrong(std::string_view key, std::string_view found);

    const Json& object_;
    const std::string path_;
    ReadProblem& problem_;
    std::set<std::string, std::less<>> asked_;
};

/// "turns[3]".
[[nodiscard]] std::string itemPath(const std::string& list, std::size_t index);

/// Calls `read(item, path)` for each item of a list member, up to the first problem.
template <class Read>
void readList(ObjectReader& reader, std::string_view key, Read read) {
    const Json& list = reader.list(key);
    for (std::size_t i = 0; i < list.size() && !reader.problem().error(); ++i)
        read(list[i], itemPath(reader.pathOf(key), i));
}

}  // namespace lacuna
