#include "app/serve/settings_changes.h"

#include <chrono>
#include <utility>

#include "app/serve/api_error.h"
#include "app/serve/json_fields.h"
#include "engine/base/string_format.h"
#include "engine/host/event_hub.h"

namespace lacuna::app {
namespace {

constexpr std::size_t kMaxBody = std::size_t{64} << 10;

}  // namespace

std::int64_t unixSeconds() {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

SettingsChanges::SettingsChanges(const ServeOptions& options, Sender send)
    : m_options(options),
      m_send(std::move(send)),
      m_config(options.config),
      m_requested(options.config),
      m_since(unixSeconds()),
      m_revision(options.shared ? EventHub::kServerRevisions : 0) {}

SettingsShown SettingsChanges::shown(const ModelFacts& model) const {
    return {.requested = m_requested,
            .effective = m_config,
            .turns = m_turns,
            .model = model,
            .since = m_since};
}

bool SettingsChanges::ask(const std::string& body, LeftOut leftOut, const ModelFacts& model,
                          const Exchange& exchange) {
    const auto refuse = [&](const ApiError& error) {
        exchange->reply(errorReply(error));
        return false;
    };
    if (m_options.shared)
        return refuse({.status = 409,
                       .message = "change the settings of this engine in its window; a request can "
                                  "set its own cache settings in its member cache",
                       .code = "SETTINGS_SHARED"});
    if (body.size() > kMaxBody)
        return refuse(
            {.status = 413, .message = format("settings may have at most {} bytes", kMaxBody)});
    const auto object = bodyObject(body);
    if (!object) return refuse(object.error());
    const EngineConfig& base = leftOut == LeftOut::AsItIs ? m_requested : m_options.config;
    const auto wanted = changedCacheSettings(*object, base, model, m_options.machine);
    if (!wanted) return refuse(wanted.error());
    if (*wanted == m_requested && m_waiting.empty()) return true;
    m_requested = *wanted;
    const Revision revision = next();
    m_waiting[revision].push_back(exchange);
    m_send(SetConfig{revision, *wanted});
    return false;
}

Revision SettingsChanges::next(std::optional<ConversationId> conversation) {
    ++m_revision;
    if (conversation) m_own[m_revision] = *conversation;
    return m_revision;
}

std::vector<SettingsChanges::Exchange> SettingsChanges::take(Revision revision) {
    const auto found = m_waiting.find(revision);
    if (found == m_waiting.end()) return {};
    std::vector<Exchange> exchanges = std::move(found->second);
    m_waiting.erase(found);
    return exchanges;
}

std::vector<SettingsChanges::Exchange> SettingsChanges::applied(const ConfigApplied& applied) {
    m_own.erase(applied.revision);
    if (applied.conversation) return {};
    m_config = applied.config;
    m_since = unixSeconds();
    std::vector<Exchange> waiting = take(applied.revision);
    if (m_waiting.empty()) m_requested = m_config;
    return waiting;
}

SettingsChanges::Refused SettingsChanges::onConfigRejected(const ConfigRejected& rejected) {
    if (const auto own = m_own.find(rejected.revision); own != m_own.end()) {
        // The settings were valid when requested, but the common settings have changed since.
        const ConversationId conversation = own->second;
        m_own.erase(own);
        return {.own = conversation, .waiting = {}};
    }
    std::vector<Exchange> waiting = take(rejected.revision);
    if (m_waiting.empty()) m_requested = m_config;
    return {.own = std::nullopt, .waiting = std::move(waiting)};
}

/// The newer change includes this one, so its reply answers both.
void SettingsChanges::superseded(const ConfigSuperseded& superseded) {
    m_own.erase(superseded.revision);
    for (Exchange& exchange : take(superseded.revision))
        m_waiting[superseded.by].push_back(std::move(exchange));
}

}  // namespace lacuna::app
