#pragma once
/// \file
/// Strict reader for JSON written by this program: each member must have the right kind and range,
/// and unknown ones are reported. The first problem is stored and all later reads return neutral
/// values, so that readers need no check after each member. Owned by one thread.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/json.h"
#include "engine/base/result.h"

namespace lacuna {

/// A document being read: its version and its first problem.
class JsonReading {
  public:
    explicit JsonReading(int version = 1) : version_(version) {}
    [[nodiscard]] int version() const { return version_; }
    void note(ErrorCode code, std::string what) {
        if (!error_) error_ = Error{code, std::move(what), {}};
    }
    void note(Error error) {
        if (!error_) error_ = std::move(error);
    }
    [[nodiscard]] const std::optional<Error>& error() const { return error_; }
    [[nodiscard]] Status status() const {
        return error_ ? Status(tl::unexpected<Error>(*error_)) : Status{};
    }

  private:
    int version_;
    std::optional<Error> error_;
};

/// A value and its path for error messages. Each accessor reads one kind of value; a value of
/// another kind is recorded as a problem and reads as a neutral value.
struct LocatedValue {
    const Json& json;
    std::string_view owner;  ///< path of the enclosing object or row; empty at the top
    std::string_view name;   ///< name of the member; empty if this is the owner itself
    JsonReading& reading;

    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::int64_t count() const;  ///< integer, >= 0
    [[nodiscard]] int smallCount() const;      ///< integer, 0 to 2^31 - 1
    [[nodiscard]] std::uint64_t bits() const;  ///< integer, 0 to 2^64 - 1
    [[nodiscard]] double amount() const;       ///< finite, >= 0
    [[nodiscard]] double number() const;       ///< any number
    [[nodiscard]] bool flag() const;           ///< true or false
    [[nodiscard]] bool zeroOrOne() const;
    [[nodiscard]] std::vector<std::string> texts() const;
    [[nodiscard]] std::vector<double> numbers() const;
    [[nodiscard]] std::vector<TokenId> tokens() const;
    [[nodiscard]] const Json& list() const;  ///< an empty list if it is not one
    [[nodiscard]] std::string path() const;  ///< "turns[3].seed"
    /// Records the problem "PATH is FOUND".
    void wrong(std::string_view found) const;
};

/// Returns the token id in an item; nullopt if it is not a valid one.
[[nodiscard]] std::optional<TokenId> tokenOf(const Json& item);

/// Treatment of members that were not read.
enum class UnknownMembers { Refused, Allowed };

class ObjectReader {
  public:
    explicit ObjectReader(const LocatedValue& object,
                          UnknownMembers unknownMembers = UnknownMembers::Refused);
    /// Reports unread members if they are refused.
    ~ObjectReader();
    ObjectReader(const ObjectReader&) = delete;
    ObjectReader& operator=(const ObjectReader&) = delete;

    /// Returns true if the member exists; older documents may lack it.
    [[nodiscard]] bool has(std::string_view name) const { return object_.contains(name); }
    /// Returns a null value and records a problem if the member is missing. `name` must outlive the
    /// returned value.
    [[nodiscard]] LocatedValue member(std::string_view name);

  private:
    const Json& object_;
    const std::string path_;
    JsonReading& reading_;
    const UnknownMembers unknownMembers_;
    std::set<std::string, std::less<>> asked_;
};

/// Calls `read(item)` for each item of a list until the document has a problem.
template <class Read>
void readItems(const LocatedValue& from, Read read) {
    const Json& list = from.list();
    const std::string path = from.path();
    for (std::size_t i = 0; i < list.size() && !from.reading.error(); ++i) {
        const std::string place = path + '[' + std::to_string(i) + ']';
        read(LocatedValue{list[i], place, {}, from.reading});
    }
}

}  // namespace lacuna
