#include "app/state/chat/conversation_pins.h"

#include <algorithm>
#include <utility>

#include "app/state/chat/conversation_list.h"
#include "app/state/chat/turn_lines.h"
#include "app/state/engine/engine_text.h"
#include "app/state/engine/event_dispatcher.h"
#include "engine/session/command.h"
#include "engine/session/event.h"

namespace lacuna::app {

ConversationPins::ConversationPins(CommandSink& engine, ConversationList& list, QObject* parent)
    : QObject(parent), m_engine(engine), m_list(list) {
    connect(&list, &ConversationList::linesChanged, this, &ConversationPins::changed);
    connect(&list, &ConversationList::currentChanged, this, &ConversationPins::changed);
    // The counts belong to the cache, which is dropped.
    connect(&list, &ConversationList::removed, this,
            [this](qint64 conversation) { m_exchanges.remove(conversation); });
}

QVector<PinRow> ConversationPins::rows() const {
    return rowsOf(m_list.current());
}

QVector<PinRow> ConversationPins::rowsOf(qint64 conversation) const {
    const ChatModel* model = std::as_const(m_list).modelOf(conversation);
    if (model == nullptr) return {};
    QVector<PinRow> rows = pinRows(m_list.pinsOf(conversation), model->lines());
    const QVector<Counted> counted = m_exchanges.value(conversation).counted;
    for (PinRow& row : rows) {
        const auto known = std::find_if(counted.begin(), counted.end(),
                                        [&](const Counted& one) { return one.words == row.words; });
        if (known == counted.end()) continue;
        row.tokens = known->tokens;
        row.evicted = known->evicted;
    }
    return rows;
}

void ConversationPins::pin(const PinnedWords& words) {
    set(withPin(m_list.pinsOf(m_list.current()), words));
}

void ConversationPins::unpin(const PinnedWords& words) {
    set(withoutPin(m_list.pinsOf(m_list.current()), words));
}

void ConversationPins::unpinAll() {
    set({});
}

void ConversationPins::set(const QVector<PinnedWords>& pins) {
    const qint64 id = m_list.current();
    Asked asked{m_list.pinsOf(id), {}};
    if (asked.before == pins) return;
    m_list.setPins(id, pins);
    if (m_modelLoaded) {
        const QVector<ChatLine> lines = m_list.finishedLines(id);
        asked.sent = pinRows(pins, lines);
        PinText command{ConversationId(id), messagesOf(lines), textPins(asked.sent, lines)};
        m_exchanges[id].asked.push_back(std::move(asked));
        m_engine.send(std::move(command));
    }
    Q_EMIT changed();
}

void ConversationPins::setModelLoaded(bool loaded) {
    m_modelLoaded = loaded;
}

std::vector<TextPin> ConversationPins::takeForTurn(qint64 conversation) {
    const ChatModel* model = m_list.modelOf(conversation);
    if (model == nullptr) return {};
    const QVector<PinRow> rows = rowsOf(conversation);
    m_exchanges[conversation].sentWithTurn = rows;
    return textPins(rows, model->lines());
}

void ConversationPins::subscribeTo(EventDispatcher& events) {
    events.subscribe(this, &ConversationPins::onPinned);
}

void ConversationPins::onPinned(const TextPinned& event) {
    const qint64 id = event.conversation.value;
    if (m_list.modelOf(id) == nullptr) return;
    Exchange& exchange = m_exchanges[id];
    QVector<PinRow> sent = exchange.sentWithTurn;
    if (event.asked) {
        if (exchange.asked.empty()) return;
        Asked asked = std::move(exchange.asked.front());
        exchange.asked.pop_front();
        sent = std::move(asked.sent);
        if (event.error) {
            m_list.setPins(id, asked.before);
            Q_EMIT changed();
        }
    }
    if (event.error) {
        Q_EMIT refused(engineText(event.error->what));
        return;
    }
    exchange.counted.clear();
    const PinnedTokens* lost = nullptr;
    const auto count =
        std::min<std::size_t>(event.pins.size(), static_cast<std::size_t>(sent.size()));
    for (std::size_t i = 0; i < count; ++i) {
        const PinnedTokens& pin = event.pins[i];
        exchange.counted.push_back({sent[static_cast<qsizetype>(i)].words, pin.count, pin.evicted});
        if (pin.evicted > 0) lost = &pin;
    }
    Q_EMIT changed();
    if (event.asked && lost != nullptr && id == m_list.current())
        Q_EMIT pinnedEvicted(lost->evicted, lost->first, lost->count);
}

}  // namespace lacuna::app
