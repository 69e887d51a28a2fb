#pragma once
/// \file
/// Fetches the file list of a repository from a hub, page by page and within limits. Owned by one
/// thread with an event loop.

#include <QObject>
#include <QString>
#include <QVector>

#include "app/hub/hub_fetch.h"
#include "app/hub/hub_listing.h"

namespace lacuna::app {

class HubLister final : public QObject {
    Q_OBJECT

  public:
    explicit HubLister(FetchRules rules, QObject* parent = nullptr);
    /// Starts a query. Exactly one of `listed` and `failed` is emitted.
    void list(const QUrl& hub, const HubRepository& repository);
    void stop() { m_fetch.stop(); }

  Q_SIGNALS:
    void listed(const QVector<lacuna::app::HubFile>& files);
    void failed(const lacuna::app::HubProblem& problem);

  private:
    void onBytes();
    void onEnded(const std::optional<HubProblem>& problem);
    void end(const HubProblem& problem);

    HubFetch m_fetch;
    QByteArray m_page;
    QString m_next;
    QVector<HubFile> m_files;
    int m_pages = 0;
};

}  // namespace lacuna::app
