#pragma once
/// \file
/// How many tokens the model in use makes of texts that were not sent yet, counted on a thread of
/// its own with a tokenizer of its own. Only the newest question is answered; a text that stood in
/// the one before is not counted again. GUI thread.

#include <QObject>
#include <QString>
#include <QStringList>
#include <QVector>
#include <atomic>
#include <memory>

#include "app/state/work_thread.h"

namespace lacuna::app {

class TokenCounts final : public QObject {
    Q_OBJECT

  public:
    explicit TokenCounts(QObject* parent = nullptr);
    ~TokenCounts() override;
    /// File or folder of the model in use; empty: there is none, and nothing is counted.
    void setModel(const QString& path);
    /// `counted` answers, unless there is no model or its tokenizer cannot be read.
    void count(const QStringList& texts);

  Q_SIGNALS:
    /// [texts] of the newest question
    void counted(const QVector<qint64>& tokens);

  private:
    struct Worker;
    QString m_model;
    std::shared_ptr<std::atomic<quint64>> m_newest;  ///< number of the newest question
    std::shared_ptr<Worker> m_worker;
    WorkThread m_thread;  ///< last: joined before anything of it goes
};

}  // namespace lacuna::app
