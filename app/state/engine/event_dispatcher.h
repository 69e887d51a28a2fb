#pragma once
/// \file
/// Passes each event of the engine to its subscribers. Belongs to one thread; subscribers must live
/// as long as events are dispatched.

#include <array>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "engine/session/event.h"

namespace lacuna::app {

class EventDispatcher {
  public:
    /// Calls `handler` with each later event of type `E`, after the handlers subscribed before it.
    template <class E>
    void subscribe(std::function<void(const E&)> handler) {
        constexpr std::size_t kIndex = indexOf<E>(static_cast<const Event*>(nullptr));
        m_handlers[kIndex].push_back(
            [run = std::move(handler)](const Event& event) { run(*std::get_if<kIndex>(&event)); });
    }
    /// Calls this member function of `receiver` with each later event of its parameter's type.
    template <class T, class E>
    void subscribe(T* receiver, void (T::*handler)(const E&)) {
        subscribe<E>([receiver, handler](const E& event) { (receiver->*handler)(event); });
    }

    void dispatch(const Event& event) const {
        for (const auto& handler : m_handlers[event.index()]) handler(event);
    }

  private:
    template <class E, class... All>
    static constexpr std::size_t indexOf(const std::variant<All...>*) {
        static_assert((std::is_same_v<E, All> || ...), "not an event of the engine");
        std::size_t index = 0;
        static_cast<void>(((std::is_same_v<E, All> || (++index, false)) || ...));
        return index;
    }

    std::array<std::vector<std::function<void(const Event&)>>, std::variant_size_v<Event>>
        m_handlers;
};

}  // namespace lacuna::app
