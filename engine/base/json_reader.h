#pragma once
/// \file
/// Strict reading of JSON that this program wrote: each member of the right kind and in range,
/// unknown ones named. The first problem is kept and everything after it reads as a neutral value,
/// so that readers need no check after each member. Owned by one thread.

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

/// A document that is being read: its version and the first problem of it.
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

/// A value and where it stands, for what is said of it when it is wrong. Each reads as one kind of
/// value; what is none of that kind is noted and reads as nothing.
struct PlacedValue {
    const Json& json;
    std::string_view owner;  ///< path of the object or row that it is part of; empty at the top
    std::string_view name;   ///< of the member; empty: this is the owner itself
    JsonReading& reading;

    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::int64_t count() const;  ///< whole, >= 0
    [[nodiscard]] int smallCount() const;      ///< whole, 0 to 2^31 - 1
    [[nodiscard]] std::uint64_t bits() const;  ///< whole, 0 to 2^64 - 1
    [[nodiscard]] double amount() const;       ///< finite, >= 0
    [[nodiscard]] double number() const;       ///< any
    [[nodiscard]] bool flag() const;           ///< true or false
    [[nodiscard]] bool zeroOrOne() const;
    [[nodiscard]] std::vector<std::string> texts() const;
    [[nodiscard]] std::vector<double> numbers() const;
    [[nodiscard]] std::vector<TokenId> tokens() const;
    [[nodiscard]] const Json& list() const;  ///< an empty one where it is none
    [[nodiscard]] std::string path() const;  ///< "turns[3].seed"
    /// Notes "PATH is FOUND".
    void wrong(std::string_view found) const;
};

/// The id that an item is; nothing where it is none.
[[nodiscard]] std::optional<TokenId> tokenOf(const Json& item);

/// What becomes of members that nobody asked for.
enum class Strangers { Refused, Allowed };

class ObjectReader {
  public:
    explicit ObjectReader(const PlacedValue& object, Strangers strangers = Strangers::Refused);
    /// Reports strangers.
    ~ObjectReader();
    ObjectReader(const ObjectReader&) = delete;
    ObjectReader& operator=(const ObjectReader&) = delete;

    /// Whether a member stands there that older documents do not have.
    [[nodiscard]] bool has(std::string_view name) const { return object_.contains(name); }
    /// Null (and a problem) when it is missing. `name` must outlive what is returned.
    [[nodiscard]] PlacedValue member(std::string_view name);

  private:
    const Json& object_;
    const std::string path_;
    JsonReading& reading_;
    const Strangers strangers_;
    std::set<std::string, std::less<>> asked_;
};

/// Calls `read(item)` for each item of a list, up to the first problem of the document.
template <class Read>
void readItems(const PlacedValue& from, Read read) {
    const Json& list = from.list();
    const std::string path = from.path();
    for (std::size_t i = 0; i < list.size() && !from.reading.error(); ++i) {
        const std::string place = path + '[' + std::to_string(i) + ']';
        read(PlacedValue{list[i], place, {}, from.reading});
    }
}

}  // namespace lacuna
