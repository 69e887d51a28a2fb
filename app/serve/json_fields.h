#pragma once
/// \file
/// Reads the members of a request's JSON object one by one. Null counts as absent and every number
/// has a range. The first error is kept with the name of its member, so that a reader can continue
/// and check once at the end. Members that were never read are known afterwards. Owned by one call.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "app/serve/api_error.h"
#include "engine/base/json.h"

namespace lacuna::app {

template <class T>
using ApiResult = tl::expected<T, ApiError>;

/// Parses a request body as a JSON object. Error: 400 with the byte position.
[[nodiscard]] ApiResult<OrderedJson> bodyObject(const std::string& body);

class JsonFields {
  public:
    /// `path` is prepended to member names in messages ("messages[0].").
    explicit JsonFields(const OrderedJson& object, std::string path = {});

    [[nodiscard]] const OrderedJson& object() const { return m_object; }
    /// Returns null if the member is absent or null.
    [[nodiscard]] const OrderedJson* find(std::string_view name);
    [[nodiscard]] std::optional<bool> boolean(std::string_view name);
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name, std::int64_t least,
                                                      std::int64_t most);
    [[nodiscard]] std::optional<double> number(std::string_view name, double least, double most);
    [[nodiscard]] std::optional<std::string> text(std::string_view name,
                                                  std::size_t maxBytes = std::size_t{64} << 20);
    /// Marks a member as read that deliberately has no effect.
    void ignore(std::string_view name) { m_read.emplace(name); }

    void refuse(std::string_view name, std::string message, std::string code = {});
    void refuse(ApiError error);
    [[nodiscard]] const std::optional<ApiError>& error() const { return m_error; }
    /// Members that were never read.
    [[nodiscard]] std::vector<std::string> unread() const;
    [[nodiscard]] std::string place(std::string_view name) const {
        return m_path + std::string(name);
    }

  private:
    void wrongType(std::string_view name, std::string_view expected, const OrderedJson& found);

    const OrderedJson& m_object;
    const std::string m_path;
    std::set<std::string, std::less<>> m_read;
    std::optional<ApiError> m_error;
};

}  // namespace lacuna::app
