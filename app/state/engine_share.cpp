#include "app/state/engine_share.h"

#include <type_traits>
#include <utility>
#include <variant>

#include "engine/base/check.h"
#include "engine/session/running_model.h"

namespace lacuna::app {

namespace {

enum class Audience { Window, Server, Both };

Audience ownerOf(ConversationId conversation) {
    return conversation.value >= EngineShare::kServerConversations ? Audience::Server
                                                                   : Audience::Window;
}

/// What tells of one conversation is for its owner, also a change of its settings that failed. Of
/// the rest the server needs the model, the settings of all, what the prefix cache holds, and to
/// hear of the end.
template <class T>
Audience audienceOf(const T& event) {
    if constexpr (requires { event.conversation.has_value(); }) {
        return event.conversation ? ownerOf(*event.conversation) : Audience::Both;
    } else if constexpr (requires { event.conversation; }) {
        return ownerOf(event.conversation);
    } else if constexpr (requires { event.revision; }) {
        return event.revision.value >= EngineShare::kServerRevisions ? Audience::Server
                                                                     : Audience::Window;
    } else {
        constexpr bool shared = std::is_same_v<T, ModelLoaded> ||
                                std::is_same_v<T, ModelUnloaded> ||
                                std::is_same_v<T, PrecisionChosen> ||
                                std::is_same_v<T, PrefixCacheChanged> || std::is_same_v<T, Fatal>;
        return shared ? Audience::Both : Audience::Window;
    }
}

/// The engine marks what it says with the newest change of any settings; for the window a change
/// that the server made is none.
void markWith(Revision revision, Event& event) {
    std::visit(
        [revision](auto& one) {
            if constexpr (requires { one.revision.value; })
                if (one.revision.value >= EngineShare::kServerRevisions) one.revision = revision;
        },
        event);
}

}  // namespace

EngineShare::EngineShare(MachineFacts machine, EngineConfig initial)
    : m_standing{.machine = std::move(machine),
                 .config = std::move(initial),
                 .model = std::nullopt,
                 .prefixes = std::nullopt} {}

std::shared_ptr<const ModelMakers> EngineShare::makers() {
    auto makers = std::make_shared<ModelMakers>();
    makers->load = [this, read = makers->load](
                       const std::filesystem::path& path,
                       const LoadOptions& options) -> Result<std::shared_ptr<const LoadedModel>> {
        auto model = read(path, options);
        if (!model) return model;
        const MutexLock lock(m_mutex);
        m_read = *model;
        return model;
    };
    return makers;
}

void EngineShare::begin(EngineHost& engine, EventSink& window) {
    m_engine = &engine;
    m_window = &window;
    engine.start(*this);
}

void EngineShare::send(Command command) {
    m_engine->send(std::move(command));
}

void EngineShare::remember(const Event& event) {
    if (const auto* loaded = std::get_if<ModelLoaded>(&event)) {
        m_standing.model = loaded->facts;
        m_model = m_read;
    } else if (std::holds_alternative<ModelUnloaded>(event)) {
        m_standing.model.reset();
        m_model.reset();
    } else if (const auto* chosen = std::get_if<PrecisionChosen>(&event)) {
        if (!m_standing.model) return;
        m_standing.model->precision = chosen->precision;
        m_standing.model->precisionKl = chosen->klMean;
        m_standing.model->precisionNote = chosen->note;
    } else if (const auto* prefixes = std::get_if<PrefixCacheChanged>(&event)) {
        m_standing.prefixes = prefixes->stats;
    } else if (const auto* applied = std::get_if<ConfigApplied>(&event)) {
        if (!applied->conversation) m_standing.config = applied->config;
        if (applied->revision.value < kServerRevisions) m_revision = applied->revision;
    }
}

bool EngineShare::wantsRetention(ConversationId conversation) const {
    return ownerOf(conversation) == Audience::Window && m_window->wantsRetention(conversation);
}

/// The server first: where the window has no room for an event it is told again, and what both hear
/// may come twice.
void EngineShare::post(Event event) {
    const Audience audience = std::visit([](const auto& one) { return audienceOf(one); }, event);
    const MutexLock lock(m_mutex);
    remember(event);
    if (audience != Audience::Window && m_server != nullptr) m_server->post(event);
    if (audience == Audience::Server) return;
    markWith(m_revision, event);
    m_window->post(std::move(event));
}

EngineShare::Standing EngineShare::attach(EventSink& server) {
    const MutexLock lock(m_mutex);
    LACUNA_REQUIRE(m_server == nullptr, "one server at a time shares the engine");
    m_server = &server;
    return m_standing;
}

void EngineShare::detach() {
    const MutexLock lock(m_mutex);
    m_server = nullptr;
}

std::shared_ptr<const LoadedModel> EngineShare::model() const {
    const MutexLock lock(m_mutex);
    return m_model.lock();
}

}  // namespace lacuna::app
