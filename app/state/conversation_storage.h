#pragma once
/// \file
/// Keeps conversations and settings on disk without the window ever waiting: calls return at once,
/// the work is done in order on one worker thread, answers come as signals. What was touched is
/// written within kFlushMs, so that a killed program loses no more than that. What could not be
/// written stays wanted and is tried again, after growing pauses and at the end. GUI thread.

#include <QMap>
#include <QObject>
#include <QTimer>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "app/state/conversation_database.h"
#include "app/state/work_thread.h"

namespace lacuna::app {

/// Times in ms.
struct KeeperPauses {
    int flush = 400;       ///< from a change to its writing
    int firstRetry = 400;  ///< from a failure to the next try; doubles with each
    int longestRetry = 30'000;
    int busy = SqliteFile::kBusyMs;  ///< a write waits for another program that writes
};

class ConversationStorage final : public QObject {
    Q_OBJECT

  public:
    static constexpr int kFlushMs = KeeperPauses{}.flush;
    using Source = std::function<ConversationRecord(qint64 conversation)>;

    /// `source` gives a conversation as it is now, when it is to be written.
    ConversationStorage(QString folder, Source source, QObject* parent = nullptr);
    ConversationStorage(QString folder, Source source, const KeeperPauses& pauses,
                        QObject* parent = nullptr);
    /// Writes what is not on disk and waits for it; what cannot be written is named on standard
    /// error.
    ~ConversationStorage() override;

    /// Opens the file and reads what is there; `opened` answers, later where it fails at first.
    void open();
    /// Will be written soon.
    void touch(qint64 conversation);
    /// Writes what was touched now.
    void flush();
    void remove(qint64 conversation);
    /// Takes remove() back.
    void restore(qint64 conversation);
    /// `fetched` answers.
    void fetch(qint64 conversation);
    /// `found` answers.
    void search(const QString& words);
    void saveSettings(const QMap<QString, QString>& values);
    /// Why something is not on disk, as a sentence; empty: everything is or will be soon.
    [[nodiscard]] const QString& problem() const { return m_problem; }

  Q_SIGNALS:
    void opened(const QVector<lacuna::app::ConversationRecord>& records,
                const QMap<QString, QString>& settings);
    void fetched(qint64 conversation, const QVector<lacuna::app::ChatLine>& lines,
                 const QVector<lacuna::app::HiddenLine>& hidden);
    void found(const QString& words, const QVector<lacuna::app::FoundConversation>& conversations);
    /// Damaged file, two writers: something a person should know, once.
    void noticed(const QString& sentence);
    /// `conversations` are not on disk because of `problem`, a sentence; empty: all is on disk.
    void keepingChanged(int conversations, const QString& problem);

  private:
    struct Worker;
    struct Round;
    struct Outcome;
    enum class Wanted { Kept, Gone };
    using Task = std::function<void(Worker&)>;
    void run(Task task);
    void writeSoon(int pause);
    void startRound();
    void inspectSoon();
    void takeBack(const Outcome& outcome);
    void settle(const Outcome& outcome);
    void tellKeeping();
    void sayWhatIsLost() const;

    const QString m_folder;
    const Source m_source;
    const KeeperPauses m_pauses;
    QMap<qint64, Wanted> m_wanted;                     ///< not on disk and not being written
    QMap<qint64, Wanted> m_writing;                    ///< by the round under way
    std::optional<QMap<QString, QString>> m_settings;  ///< the same two for the settings
    std::optional<QMap<QString, QString>> m_settingsWriting;
    bool m_roundRuns = false;
    bool m_flushAgain = false;  ///< asked for while a round ran
    int m_pause = 0;            ///< before the next try; 0: the last one went well
    QString m_problem;
    std::pair<int, QString> m_told;  ///< in the last keepingChanged
    QTimer m_next;                   ///< starts a round
    std::shared_ptr<Worker> m_worker;
    WorkThread m_pool;
    std::atomic<bool> m_stopInspecting = false;
    WorkThread m_inspecting;  ///< the thorough check, which takes long
};

}  // namespace lacuna::app
