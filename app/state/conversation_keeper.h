#pragma once
/// \file
/// Keeps conversations and settings on disk without the window ever waiting: calls return at once,
/// the work is done in order on one worker thread, answers come as signals. What was touched is
/// written within kFlushMs, so that a killed program loses no more than that. GUI thread.

#include <QMap>
#include <QObject>
#include <QSet>
#include <QThreadPool>
#include <QTimer>
#include <functional>
#include <memory>

#include "app/state/conversation_database.h"

namespace lacuna::app {

class ConversationKeeper final : public QObject {
    Q_OBJECT

  public:
    static constexpr int kFlushMs = 400;
    using Source = std::function<ConversationRecord(qint64 conversation)>;

    /// `source` gives a conversation as it is now, when it is to be written.
    ConversationKeeper(QString folder, Source source, QObject* parent = nullptr);
    /// Writes what was touched and waits for it.
    ~ConversationKeeper() override;

    /// Opens the file and reads what is there; `opened` answers.
    void open();
    /// Will be written soon.
    void touch(qint64 conversation);
    /// Writes what was touched now.
    void flush();
    void remove(qint64 conversation);
    void restore(qint64 conversation);
    /// `fetched` answers.
    void fetch(qint64 conversation);
    /// `found` answers.
    void search(const QString& words);
    void saveSettings(const QMap<QString, QString>& values);

  Q_SIGNALS:
    /// Conversations longest untouched first, without lines.
    void opened(const QVector<lacuna::app::ConversationRecord>& records,
                const QMap<QString, QString>& settings);
    void fetched(qint64 conversation, const QVector<lacuna::app::ChatLine>& lines);
    void found(const QString& words, const QVector<qint64>& conversations);
    /// Damaged file, full disk: something a person should know.
    void noticed(const QString& sentence);

  private:
    struct Worker;
    using Task = std::function<void(Worker&)>;
    void run(Task task);

    QString m_folder;
    Source m_source;
    QSet<qint64> m_touched;
    QTimer m_soon;
    std::shared_ptr<Worker> m_worker;
    QThreadPool m_pool;  ///< one thread: tasks run in order
};

}  // namespace lacuna::app
