#pragma once
/// \file
/// A recorded session at any point in time: conversations, cache contents and fill level, plus
/// chart samples and timeline of the complete session. Created from a recording on any thread and
/// immutable afterwards, so it can be read from any thread.

#include <QString>
#include <QVector>
#include <memory>

#include "app/state/telemetry/metrics_store.h"
#include "app/state/view_types.h"

namespace lacuna {
struct Recording;
}

namespace lacuna::app {

class RecordedSession {
  public:
    /// `name` is the file name shown to the user.
    RecordedSession(std::shared_ptr<const Recording> recording, QString name);
    ~RecordedSession();
    RecordedSession(const RecordedSession&) = delete;
    RecordedSession& operator=(const RecordedSession&) = delete;

    struct Conversation {
        qint64 id = 0;
        QString title;  ///< first user message
    };
    /// A point in time of interest to the user.
    struct Mark {
        enum class Kind { Question, Compaction };
        qint64 timeNs = 0;
        Kind kind = Kind::Question;
    };

    [[nodiscard]] const QString& name() const;
    /// Names of the models that answered in the session.
    [[nodiscard]] QString models() const;
    [[nodiscard]] const std::shared_ptr<const Recording>& recording() const;
    /// Conversations in the order of their first turn.
    [[nodiscard]] const QVector<Conversation>& conversations() const;
    /// Times at which something changed, ascending. Idle time contains none.
    [[nodiscard]] const QVector<qint64>& moments() const;
    [[nodiscard]] const QVector<Mark>& marks() const;
    [[nodiscard]] const MetricsStore& metrics() const;
    [[nodiscard]] const QVector<EventRow>& timeline() const;
    /// Describes data missing from the report, which are either omitted or approximated; empty if
    /// it is complete.
    [[nodiscard]] QString missingNote() const;

    /// Returns the conversation of the last turn started before that time.
    [[nodiscard]] qint64 conversationAt(qint64 timeNs) const;
    /// Returns the messages at that time; a running answer is truncated accordingly.
    [[nodiscard]] QVector<ChatLine> linesAt(qint64 conversation, qint64 timeNs) const;
    /// Returns the cache contents at that time; without tokens if there was no cache or it was not
    /// recorded.
    [[nodiscard]] RetentionView retentionAt(qint64 conversation, qint64 timeNs) const;
    /// Returns the state of the engine and the cache figures of the conversation at that time.
    [[nodiscard]] EngineView engineAt(qint64 conversation, qint64 timeNs) const;

  private:
    struct Impl;
    std::unique_ptr<const Impl> m_impl;
};

}  // namespace lacuna::app
