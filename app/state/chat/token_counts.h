#pragma once
/// \file
/// Counts the tokens of texts that were not sent yet, with a separate tokenizer of the loaded model
/// on a separate thread. Only the latest request is answered; texts that were part of the previous
/// request are not counted again. GUI thread.

#include <QObject>
#include <QString>
#include <QStringList>
#include <QVector>
#include <atomic>
#include <memory>

#include "app/state/files/work_thread.h"

namespace lacuna::app {

class TokenCounts final : public QObject {
    Q_OBJECT

  public:
    explicit TokenCounts(QObject* parent = nullptr);
    ~TokenCounts() override;
    /// Sets the file or folder of the loaded model; empty if none is loaded, in which case nothing
    /// is counted.
    void setModel(const QString& path);
    /// Requests the token counts. Emits `counted` unless there is no model or its tokenizer cannot
    /// be read.
    void count(const QStringList& texts);

  Q_SIGNALS:
    /// Reports the counts of the latest request, [texts].
    void counted(const QVector<qint64>& tokens);

  private:
    struct Worker;
    QString m_model;
    std::shared_ptr<std::atomic<quint64>> m_newest;  ///< sequence number of the latest request
    std::shared_ptr<Worker> m_worker;
    WorkThread m_thread;  ///< last member, so that it is joined before the others are destroyed
};

}  // namespace lacuna::app
