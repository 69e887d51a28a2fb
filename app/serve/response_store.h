#pragma once
/// \file
/// Responses that clients go on from by their ids: each with the items that led to it. They are
/// kept in memory alone, as text, so that what they take is what the limit says; those that nobody
/// asked for longest go first. Internally locked: kept by the server's thread, read by those that
/// prepare requests. docs/server.md, "Responses".

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
        std::size_t bytes = std::size_t{8} << 20;  ///< of all of them
    };
    explicit ResponseStore(Limits limits) : m_limits(limits) {}
    ResponseStore() : ResponseStore(Limits{}) {}

    /// `items` is the whole conversation before the answer, `response` what was answered. One that
    /// is larger than the limit by itself is not kept.
    void keep(const std::string& id, const OrderedJson& items, const OrderedJson& response);
    /// As it was answered.
    [[nodiscard]] std::optional<OrderedJson> response(std::string_view id);
    /// The conversation with the answer: what a further question comes after.
    [[nodiscard]] std::optional<OrderedJson> conversation(std::string_view id);
    /// An item of an answer, by its own id.
    [[nodiscard]] std::optional<OrderedJson> item(std::string_view id);
    /// False where there is none.
    bool forget(std::string_view id);

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
    /// Asked for now, so that others go before it; the end where there is none.
    [[nodiscard]] List::iterator find(std::string_view id) LACUNA_REQUIRES(m_mutex);
    void drop(List::iterator one) LACUNA_REQUIRES(m_mutex);

    const Limits m_limits;
    mutable Mutex m_mutex;
    List m_kept LACUNA_GUARDED_BY(m_mutex);  ///< the newest and last asked for at the end
    std::size_t m_bytes LACUNA_GUARDED_BY(m_mutex) = 0;
};

}  // namespace lacuna::app
