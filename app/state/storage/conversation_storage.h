#pragma once
/// \file
/// Stores conversations and settings without blocking the window: calls return immediately, one
/// worker thread does the work in order, and results are reported by signals. Changes are written
/// after a short delay, which limits the loss if the program is killed. Failed writes are retried
/// with increasing delays and finally at exit. GUI thread.

#include <QMap>
#include <QObject>
#include <QTimer>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "app/state/files/work_thread.h"
#include "app/state/storage/conversation_database.h"

namespace lacuna::app {

/// Delays in ms.
struct StorageDelays {
    int flush = 400;       ///< from a change to its write
    int firstRetry = 400;  ///< from a failure to the first retry; doubles with each further one
    int longestRetry = 30'000;
    int busy = SqliteFile::kBusyMs;  ///< maximum wait for another writing program
};

class ConversationStorage final : public QObject {
    Q_OBJECT

  public:
    static constexpr int kFlushMs = StorageDelays{}.flush;
    using Source = std::function<ConversationRecord(qint64 conversation)>;

    /// `source` returns the current state of a conversation when it is written.
    ConversationStorage(QString folder, Source source, QObject* parent = nullptr);
    ConversationStorage(QString folder, Source source, const StorageDelays& pauses,
                        QObject* parent = nullptr);
    /// Writes all pending changes and waits for completion; data that cannot be written are listed
    /// on standard error.
    ~ConversationStorage() override;

    /// Opens the file and reads its contents. `opened` is emitted on success, which may be a retry.
    void open();
    /// Schedules a write of the conversation.
    void touch(qint64 conversation);
    /// Writes all pending changes immediately.
    void flush();
    void remove(qint64 conversation);
    /// Undoes remove().
    void restore(qint64 conversation);
    /// Reads the lines of a conversation; reported by `fetched`.
    void fetch(qint64 conversation);
    /// Starts a search; reported by `found`.
    void search(const QString& words);
    void saveSettings(const QMap<QString, QString>& values);
    /// Why some data are not stored; empty if everything is stored or scheduled.
    [[nodiscard]] const QString& problem() const { return m_problem; }

  Q_SIGNALS:
    void opened(const QVector<lacuna::app::ConversationRecord>& records,
                const QMap<QString, QString>& settings);
    void fetched(qint64 conversation, const QVector<lacuna::app::ChatLine>& lines,
                 const QVector<lacuna::app::HiddenLine>& hidden);
    void found(const QString& words, const QVector<lacuna::app::FoundConversation>& conversations);
    /// Reports a one-time message for the user, such as a damaged file or a second writer.
    void noticed(const QString& sentence);
    /// Emitted when the number of unstored conversations or the reason changes; `problem` is empty
    /// if everything is stored.
    void savingChanged(int conversations, const QString& problem);

  private:
    struct Worker;
    struct Round;
    struct Outcome;
    enum class PendingChange { Save, Delete };
    using Task = std::function<void(Worker&)>;
    void run(Task task);
    void writeSoon(int pause);
    void startRound();
    void inspectSoon();
    void requeueFailed(const Outcome& outcome);
    void settle(const Outcome& outcome);
    void publishSaving();
    void publishLoss() const;

    const QString m_folder;
    const Source m_source;
    const StorageDelays m_pauses;
    QMap<qint64, PendingChange> m_pendingChanges;  ///< pending changes that are not being written
    QMap<qint64, PendingChange> m_writing;         ///< changes written by the running round
    std::optional<QMap<QString, QString>> m_settings;  ///< pending settings, and those being
                                                       ///< written
    std::optional<QMap<QString, QString>> m_settingsWriting;
    bool m_roundRuns = false;
    bool m_flushAgain = false;  ///< true if a flush was requested during a round
    int m_pause = 0;            ///< delay before the next attempt; 0 if the last one succeeded
    QString m_problem;
    std::pair<int, QString> m_lastPublished;  ///< arguments of the last savingChanged
    QTimer m_next;                            ///< starts the next round
    std::shared_ptr<Worker> m_worker;
    WorkThread m_pool;
    std::atomic<bool> m_stopInspecting = false;
    WorkThread m_inspecting;  ///< runs the thorough check, which is slow
};

}  // namespace lacuna::app
