#pragma once
/// \file
/// Models from a hub, as the window has them: what a repository holds, and the downloads with their
/// progress, those of earlier starts among them. Works on a thread of its own, which begins with
/// the first question or download of a person, and with it the first socket. Owned by the GUI
/// thread.

#include <QObject>
#include <QString>
#include <QThread>
#include <QVector>
#include <memory>

#include "app/hub/download.h"
#include "app/hub/hub_listing.h"

namespace lacuna::app {

/// A model that a person may choose.
struct HubOffer {
    QString name;       ///< "Q4_K_M/model.gguf", or the repository's where it is a folder
    qint64 bytes = -1;  ///< -1: not said
    int files = 1;
    bool folder = false;
    bool digests = false;  ///< the hub says the SHA-256 of all that is large
    QString problem;       ///< why it cannot be fetched; empty: it can
};

struct HubRow {
    int id = 0;  ///< as the calls below name it
    DownloadView download;
};

struct HubView {
    QString hub;     ///< address
    QString folder;  ///< models go into
    QString asked;   ///< what the offers are of: "owner/name"; empty: nothing was asked
    bool asking = false;
    QString problem;  ///< why there are no offers, a sentence
    QVector<HubOffer> offers;
    QVector<HubRow> rows;  ///< newest first
};

class HubController final : public QObject {
    Q_OBJECT

  public:
    explicit HubController(DownloadMeans means = {}, QObject* parent = nullptr);
    /// Keeps what has come.
    ~HubController() override;

    [[nodiscard]] HubView view() const;
    /// Where models go, and where unfinished ones are looked for.
    void setFolder(const QString& folder);
    /// A sentence when it is no address; then the one before stays.
    [[nodiscard]] QString setHub(const QString& typed);
    /// Sent to the hub alone; kept in memory until the window closes, nowhere else.
    void setToken(const QString& token);
    /// Also unencrypted from other machines, for what is asked from now on.
    void allowPlainHttp(bool allowed) { m_plain = allowed; }

    /// A name: which models the repository has. An address of a file: it becomes the one offer.
    void ask(const QString& typed);
    /// `digest` is 64 digits that a person gives, of a model of one file; empty: as the hub says. A
    /// sentence when it cannot begin.
    [[nodiscard]] QString fetch(int offer, const QString& digest);
    void pause(int id);
    void resume(int id);
    /// Takes it off the list and removes what has come of it; one that is all there stays on disk.
    void remove(int id);
    /// Some are on their way.
    [[nodiscard]] bool running() const;

  Q_SIGNALS:
    void changed();
    /// A model is all there.
    void arrived(const QString& path);

  private:
    class Worker;
    struct Row {
        int id = 0;
        HubOrder order;
        DownloadView view;
    };
    Worker& worker();
    [[nodiscard]] Row* rowOf(int id);
    void begin(Row& row);
    void onOffers(const QVector<HubFile>& files);
    void onProgress(int id, const DownloadView& view);

    const DownloadMeans m_means;
    QUrl m_hub;
    QByteArray m_token;
    bool m_plain = false;
    QString m_folder;
    QString m_asked, m_problem;
    bool m_asking = false;
    int m_question = 0;  ///< answers to an older one are not wanted
    std::optional<HubTarget> m_target;
    QVector<HubModel> m_models;
    QVector<Row> m_rows;
    int m_lastId = 0;
    QThread m_thread;
    Worker* m_worker = nullptr;  ///< lives on m_thread; null before the first question
};

}  // namespace lacuna::app
