#pragma once
/// \file
/// Model downloads as the window uses them: the models of a repository, and the downloads with
/// their progress, including unfinished ones of earlier runs. Network access happens on a separate
/// thread, which starts with the user's first query or download. Owned by the GUI thread.

#include <QObject>
#include <QString>
#include <QThread>
#include <QVector>
#include <memory>

#include "app/hub/download.h"
#include "app/hub/hub_listing.h"

namespace lacuna::app {

/// A model offered for download.
struct HubOffer {
    QString name;       ///< "Q4_K_M/model.gguf", or the repository name for a folder
    qint64 bytes = -1;  ///< -1 if unknown
    int files = 1;
    bool folder = false;
    bool digests = false;  ///< true if the hub provides the SHA-256 of every large file
    QString problem;       ///< why it cannot be fetched; empty if it can
};

struct HubRow {
    int id = 0;  ///< id used by the calls below
    DownloadView download;
};

struct HubView {
    QString hub;     ///< address of the hub
    QString folder;  ///< target folder for models
    QString asked;   ///< repository of the offers, "owner/name"; empty before the first query
    bool asking = false;
    QString problem;  ///< error message if there are no offers
    QVector<HubOffer> offers;
    QVector<HubRow> rows;  ///< newest first
};

class HubController final : public QObject {
    Q_OBJECT

  public:
    explicit HubController(DownloadDependencies dependencies = {}, QObject* parent = nullptr);
    /// Pauses running downloads; received bytes are kept.
    ~HubController() override;

    [[nodiscard]] HubView view() const;
    /// Sets the target folder, which is also searched for unfinished downloads.
    void setFolder(const QString& folder);
    /// Returns an error message if the address is invalid; the previous hub is then kept.
    [[nodiscard]] QString setHub(const QString& typed);
    /// Sets the access token. It is sent only to the hub and kept in memory only, until the window
    /// closes.
    void setToken(const QString& token);
    /// Allows unencrypted connections to other machines for later requests.
    void allowPlainHttp(bool allowed) { m_plain = allowed; }

    /// Lists the models of a repository; a file URL becomes the only offer.
    void ask(const QString& typed);
    /// Starts a download. `digest` is the expected SHA-256 (64 digits) of a single-file model as
    /// typed by the user; empty uses the hub's. Returns an error message if it cannot start.
    [[nodiscard]] QString fetch(int offer, const QString& digest);
    void pause(int id);
    void resume(int id);
    /// Removes the download from the list together with its partial files. A completed model stays
    /// on disk.
    void remove(int id);
    /// Returns true while any download is running.
    [[nodiscard]] bool running() const;

  Q_SIGNALS:
    void changed();
    /// Emitted when a model is complete.
    void arrived(const QString& path);

  private:
    class Worker;
    struct Row {
        int id = 0;
        DownloadRequest request;
        DownloadView view;
    };
    Worker& worker();
    [[nodiscard]] Row* rowOf(int id);
    void begin(Row& row);
    void onOffers(const QVector<HubFile>& files);
    void onProgress(int id, const DownloadView& view);

    const DownloadDependencies m_dependencies;
    QUrl m_hub;
    QByteArray m_token;
    bool m_plain = false;
    QString m_folder;
    QString m_asked, m_problem;
    bool m_asking = false;
    int m_question = 0;  ///< sequence number of the query; replies to older ones are ignored
    std::optional<HubTarget> m_target;
    QVector<HubModel> m_models;
    QVector<Row> m_rows;
    int m_lastId = 0;
    QThread m_thread;
    Worker* m_worker = nullptr;  ///< lives on m_thread; null before the first query
};

}  // namespace lacuna::app
