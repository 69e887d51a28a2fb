#include "app/state/chat/conversation_cache.h"

#include <filesystem>

#include "app/state/chat/conversation_list.h"
#include "app/state/engine/engine_text.h"
#include "app/state/engine/event_dispatcher.h"
#include "app/state/number_format.h"
#include "app/state/view_rows.h"
#include "engine/session/command.h"
#include "engine/session/event.h"

namespace lacuna::app {

ConversationCache::ConversationCache(CommandSink& engine, ConversationList& list, QObject* parent)
    : QObject(parent), m_engine(engine), m_list(list) {
    connect(&list, &ConversationList::removed, this, &ConversationCache::releaseOf);
}

void ConversationCache::compactNow() {
    m_engine.send(CompactNow{ConversationId(m_list.current())});
    Q_EMIT compactionRequested(m_list.current());
}

void ConversationCache::stopCompaction() {
    m_engine.send(CancelTurn{ConversationId(m_list.current())});
}

void ConversationCache::bringBack(qint64 first, qint64 count) {
    m_engine.send(BringBack{ConversationId(m_list.current()), first, count});
}

void ConversationCache::release() {
    releaseOf(m_list.current());
}

void ConversationCache::releaseOf(qint64 conversation) {
    m_engine.send(ReleaseConversation{ConversationId(conversation)});
    Q_EMIT released(conversation);
}

void ConversationCache::requestRetention() {
    m_engine.send(RequestRetention{ConversationId(m_list.current())});
}

void ConversationCache::save(const QString& path) {
    ++m_moving;
    m_engine.send(
        SavePromptCache{ConversationId(m_list.current()), std::filesystem::path(fromQt(path))});
}

void ConversationCache::load(const QString& path) {
    ++m_moving;
    m_engine.send(
        LoadPromptCache{ConversationId(m_list.current()), std::filesystem::path(fromQt(path))});
}

void ConversationCache::subscribeTo(EventDispatcher& events) {
    events.subscribe(this, &ConversationCache::onMoved);
}

void ConversationCache::onMoved(const PromptCacheMoved& event) {
    if (m_moving == 0) return;  // The request came from a client of the server.
    --m_moving;
    const QString path = toQt(event.path);
    const QString tokens = countText(event.tokens);
    Q_EMIT moved(
        event.error ? engineText(event.error->what)
        : event.loaded
            ? tr("The cache of this conversation was loaded from %1, %2 tokens. The next "
                 "question reuses it as far as the text matches.")
                  .arg(path, tokens)
            : tr("The cache of this conversation was saved to %1, %2 tokens.").arg(path, tokens),
        event.error.has_value());
}

}  // namespace lacuna::app
