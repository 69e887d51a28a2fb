#pragma once
/// \file
/// A recorded session as it was at any moment of it: what was said until then, what the cache held,
/// how full it was; and, over all of it, the samples of the charts and the timeline. Made once from
/// a recording, on any thread; not changed afterwards, so that it may be read on any.

#include <QString>
#include <QVector>
#include <memory>

#include "app/state/metrics_store.h"
#include "app/state/view_types.h"

namespace lacuna {
struct Recording;
}

namespace lacuna::app {

class RecordedSession {
  public:
    /// `name`: of its file, as a person sees it.
    RecordedSession(std::shared_ptr<const Recording> recording, QString name);
    ~RecordedSession();
    RecordedSession(const RecordedSession&) = delete;
    RecordedSession& operator=(const RecordedSession&) = delete;

    struct Conversation {
        qint64 id = 0;
        QString title;  ///< its first question
    };
    /// A moment that a person may want to go to.
    struct Mark {
        enum class Kind { Question, Compaction };
        qint64 timeNs = 0;
        Kind kind = Kind::Question;
    };

    [[nodiscard]] const QString& name() const;
    /// Names of the models that answered.
    [[nodiscard]] QString models() const;
    [[nodiscard]] const std::shared_ptr<const Recording>& recording() const;
    /// In the order of their first questions.
    [[nodiscard]] const QVector<Conversation>& conversations() const;
    /// Moments at which something was different, ascending; idle time between them has none.
    [[nodiscard]] const QVector<qint64>& moments() const;
    [[nodiscard]] const QVector<Mark>& marks() const;
    [[nodiscard]] const MetricsStore& metrics() const;
    [[nodiscard]] const QVector<EventRow>& timeline() const;
    /// What the report does not say and is therefore not shown, or shown otherwise; sentences, or
    /// empty: it says all.
    [[nodiscard]] QString missingNote() const;

    /// Whose question was asked last before that moment.
    [[nodiscard]] qint64 conversationAt(qint64 timeNs) const;
    /// What a person saw then; the answer being written ends where it did.
    [[nodiscard]] QVector<ChatLine> linesAt(qint64 conversation, qint64 timeNs) const;
    /// What its cache held then. No token: it had none yet, or the report does not say.
    [[nodiscard]] RetentionView retentionAt(qint64 conversation, qint64 timeNs) const;
    /// How full its cache was then, and what the engine did.
    [[nodiscard]] EngineView engineAt(qint64 conversation, qint64 timeNs) const;

  private:
    struct Impl;
    std::unique_ptr<const Impl> m_impl;
};

}  // namespace lacuna::app
