#pragma once
/// \file
/// Responses that clients can continue by id, each with the items before it. They are kept in
/// memory only, as text, so that the byte limit is exact; the least recently used are dropped
/// first. Thread-safe: written by the server's thread, read by the worker threads. docs/server.md,
/// "Responses".

#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/json.h"
#include "engine/base/mutex.h"

namespace lacuna::app {

class ResponseStore {
  public:
    struct Limits {
        std::size_t responses = 512;
        std::size_t bytes = std::size_t{8} << 20;  ///< sum over all responses
    };
    explicit ResponseStore(Limits limits) : m_limits(limits) {}
    ResponseStore() : ResponseStore(Limits{}) {}

    /// `items` is the whole conversation before the answer, `response` the answer. A response
    /// larger than the limit is not stored.
    void keep(const std::string& id, const OrderedJson& items, const OrderedJson& response);
    /// Returns the response in the form that was sent; nullopt if it is not stored.
    [[nodiscard]] std::optional<OrderedJson> response(std::string_view id);
    /// Returns the conversation including the answer, to be continued by a new request.
    [[nodiscard]] std::optional<OrderedJson> conversation(std::string_view id);
    /// Returns an item of a stored answer by the item's own id.
    [[nodiscard]] std::optional<OrderedJson> item(std::string_view id);
    /// Returns false if there is no such response.
    bool remove(std::string_view id);

    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] std::size_t bytes() const;

  private:
    struct Kept {
        std::string id;
        std::string items;
        std::string response;
        [[nodiscard]] std::size_t bytes() const {
            return id.size() + items.size() + response.size();
        }
    };
    using List = std::list<Kept>;
    /// Also marks the entry as most recently used; end() if there is none.
    [[nodiscard]] List::iterator find(std::string_view id) LACUNA_REQUIRES(m_mutex);
    void drop(List::iterator one) LACUNA_REQUIRES(m_mutex);

    const Limits m_limits;
    mutable Mutex m_mutex;
    List m_kept LACUNA_GUARDED_BY(m_mutex);  ///< least recently used first
    std::size_t m_bytes LACUNA_GUARDED_BY(m_mutex) = 0;
};

}  // namespace lacuna::app
