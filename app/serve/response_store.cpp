#include "app/serve/response_store.h"

#include <algorithm>
#include <utility>

#include "app/serve/api_error.h"

namespace lacuna::app {

ResponseStore::List::iterator ResponseStore::find(std::string_view id) {
    const auto one = std::ranges::find(m_kept, id, &Kept::id);
    if (one != m_kept.end()) m_kept.splice(m_kept.end(), m_kept, one);
    return one;
}

void ResponseStore::drop(List::iterator one) {
    m_bytes -= one->bytes();
    m_kept.erase(one);
}

void ResponseStore::keep(const std::string& id, const OrderedJson& items,
                         const OrderedJson& response) {
    Kept kept{id, dumpJson(items), dumpJson(response)};
    if (kept.bytes() > m_limits.bytes) return;
    const MutexLock lock(m_mutex);
    if (const auto before = find(id); before != m_kept.end()) drop(before);
    m_bytes += kept.bytes();
    m_kept.push_back(std::move(kept));
    while (m_kept.size() > m_limits.responses || m_bytes > m_limits.bytes) drop(m_kept.begin());
}

std::optional<OrderedJson> ResponseStore::response(std::string_view id) {
    const MutexLock lock(m_mutex);
    const auto one = find(id);
    if (one == m_kept.end()) return std::nullopt;
    return OrderedJson::parse(one->response);
}

std::optional<OrderedJson> ResponseStore::conversation(std::string_view id) {
    const MutexLock lock(m_mutex);
    const auto one = find(id);
    if (one == m_kept.end()) return std::nullopt;
    OrderedJson items = OrderedJson::parse(one->items);
    const OrderedJson response = OrderedJson::parse(one->response);
    for (const OrderedJson& item : response["output"]) items.push_back(item);
    return items;
}

std::optional<OrderedJson> ResponseStore::item(std::string_view id) {
    const std::string spelled = dumpJson(OrderedJson(id));
    const MutexLock lock(m_mutex);
    for (auto one = m_kept.begin(); one != m_kept.end(); ++one) {
        if (one->response.find(spelled) == std::string::npos) continue;
        const OrderedJson response = OrderedJson::parse(one->response);
        for (const OrderedJson& item : response["output"]) {
            if (item.value("id", std::string()) != id) continue;
            m_kept.splice(m_kept.end(), m_kept, one);
            return item;
        }
    }
    return std::nullopt;
}

bool ResponseStore::remove(std::string_view id) {
    const MutexLock lock(m_mutex);
    const auto one = find(id);
    if (one == m_kept.end()) return false;
    drop(one);
    return true;
}

std::size_t ResponseStore::size() const {
    const MutexLock lock(m_mutex);
    return m_kept.size();
}

std::size_t ResponseStore::bytes() const {
    const MutexLock lock(m_mutex);
    return m_bytes;
}

}  // namespace lacuna::app
