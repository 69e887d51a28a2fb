#pragma once
/// \file
/// Pinned words of the conversations (pinned_words.h): which the user has pinned, and how many of
/// their tokens the engine counts. Owned by the GUI thread.

#include <QHash>
#include <QObject>
#include <QString>
#include <QVector>
#include <deque>
#include <vector>

#include "app/state/chat/pinned_words.h"

namespace lacuna {
class CommandSink;
struct TextPin;
struct TextPinned;
}  // namespace lacuna

namespace lacuna::app {

class ConversationList;
class EventDispatcher;

class ConversationPins final : public QObject {
    Q_OBJECT

  public:
    ConversationPins(CommandSink& engine, ConversationList& list, QObject* parent = nullptr);

    /// Pins on the shown lines of the current conversation, in order.
    [[nodiscard]] QVector<PinRow> rows() const;
    /// Protects these words of the current conversation from compactions unless the engine refuses
    /// (refused).
    void pin(const PinnedWords& words);
    void unpin(const PinnedWords& words);
    void unpinAll();

    /// Sets whether a model is loaded. Without one, changes are sent with the next turn only.
    void setModelLoaded(bool loaded);
    /// Returns the pins to send with the next turn of a conversation.
    [[nodiscard]] std::vector<TextPin> takeForTurn(qint64 conversation);
    void subscribeTo(EventDispatcher& events);
    void onPinned(const TextPinned& event);

  Q_SIGNALS:
    /// Emitted when rows() may have changed: pins were added, removed or counted, or other lines
    /// are shown.
    void changed();
    /// Emitted when words could not be pinned; `sentence` is the reason.
    void refused(const QString& sentence);
    /// Emitted if `tokens` of the words just pinned in the current conversation had been evicted
    /// before. They are the `count` tokens from `first` on.
    void pinnedEvicted(qint64 tokens, qint64 first, qint64 count);

  private:
    struct Counted {
        PinnedWords words;
        qint64 tokens = 0, evicted = 0;
    };
    /// A change that the engine has not answered: the pins before it and the pins sent.
    struct Asked {
        QVector<PinnedWords> before;
        QVector<PinRow> sent;
    };
    /// Pins sent to the engine and its answers for one conversation.
    struct Exchange {
        QVector<Counted> counted;  ///< pins as last counted
        std::deque<Asked> asked;
        QVector<PinRow> sentWithTurn;  ///< pins sent with the latest turn
    };

    [[nodiscard]] QVector<PinRow> rowsOf(qint64 conversation) const;
    void set(const QVector<PinnedWords>& pins);

    CommandSink& m_engine;
    ConversationList& m_list;
    QHash<qint64, Exchange> m_exchanges;
    bool m_modelLoaded = false;
};

}  // namespace lacuna::app
