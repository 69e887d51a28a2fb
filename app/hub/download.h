#pragma once
/// \file
/// Downloads one model: its files are fetched sequentially into part files, verified, and renamed
/// together at the end. Received bytes are kept when the download is paused, interrupted or the
/// program ends. It resumes only if the remaining bytes provably belong to the same file (strong
/// entity tag, or a digest checked at the end); otherwise it starts again. Owned by one thread with
/// an event loop.

#include <QCryptographicHash>
#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/hub/download_request.h"
#include "app/hub/hub_fetch.h"
#include "app/hub/part_file.h"

namespace lacuna::app {

enum class DownloadState {
    Waiting,   ///< not started or paused; no socket is open
    Checking,  ///< hashing bytes from an earlier run
    Running,
    Done,
    Failed,  ///< stopped by a problem; may be resumed
};

struct DownloadView {
    QString title;
    QString path;  ///< path to open when done
    DownloadState state = DownloadState::Waiting;
    qint64 done = 0;
    qint64 total = -1;          ///< -1 if not known yet
    double bytesPerSecond = 0;  ///< average of the last seconds
    double secondsLeft = -1;    ///< negative if unknown
    int file = 0, files = 0;    ///< current file, counted from 1, and number of files
    QString sentence;           ///< error message, or a note on the result
    std::optional<HubFault> fault;
};

struct DownloadDependencies {
    QByteArray token = {};  ///< bearer token for the order's hub
    int timeoutMs = 30'000;
    int retries = 4;  ///< maximum number of reconnects without usefulBytes of progress
    /// New bytes after which the retry count is reset.
    qint64 usefulBytes = qint64{256} << 10;
    int retryDelayMs = 1000;  ///< delay before the first retry; doubles with each further one
    /// Returns the free bytes on the disk of a folder; negative if unknown. By default the system
    /// is asked.
    std::function<qint64(const QString& folder)> room = {};
    qint64 minFreeBytes = qint64{64} << 20;  ///< bytes to leave free on the disk
    qint64 syncEvery = qint64{64} << 20;     ///< bytes between two syncs
};

class Download final : public QObject {
    Q_OBJECT

  public:
    Download(DownloadRequest request, DownloadDependencies dependencies, QObject* parent = nullptr);
    ~Download() override;

    [[nodiscard]] const DownloadRequest& request() const { return m_request; }
    [[nodiscard]] DownloadView view() const;
    /// Starts or resumes.
    void start();
    /// Stops and keeps the received bytes.
    void pause();
    /// Removes the received bytes; has no effect while running.
    void discard();

  Q_SIGNALS:
    void changed();
    /// Emitted when done, failed or paused.
    void stopped();

  private:
    [[nodiscard]] HubItem& item() { return m_request.items[m_at]; }
    [[nodiscard]] PartFile& part() { return *m_parts.back(); }
    [[nodiscard]] std::optional<HubProblem> prepare();
    [[nodiscard]] std::optional<HubProblem> checkKind();
    [[nodiscard]] std::optional<HubProblem> diskSpaceProblem() const;
    void restoreProgress();
    void openItem();
    void passItem();
    void readBack();
    void ask();
    void startOver(const QString& reason);
    void onHead();
    void onBytes();
    void onEnded(const std::optional<HubProblem>& problem);
    [[nodiscard]] std::optional<HubProblem> writeFullBody();
    [[nodiscard]] std::optional<HubProblem> writeRemainder();
    [[nodiscard]] std::optional<HubProblem> take(const QByteArray& bytes);
    [[nodiscard]] std::optional<HubProblem> lookAtDisk();
    void retryOr(const HubProblem& problem);
    void checkItem();
    void finish();
    void fail(const HubProblem& problem);
    void halt(DownloadState state);
    void quarantine();
    void measure();
    void noteProgress();

    DownloadRequest m_request;
    const DownloadDependencies m_dependencies;
    HubFetch m_fetch;
    QTimer m_again;
    /// Part files of the items so far; nullopt for an item that already has its final name. The
    /// lock of the first one guards the whole download.
    std::vector<std::optional<PartFile>> m_parts;
    QCryptographicHash m_hash;
    qsizetype m_at = 0;
    qint64 m_hashed = 0;  ///< bytes of the part that were hashed
    qint64 m_sinceSync = 0;
    bool m_kindKnown = false;  ///< true once the first bytes were checked
    int m_retries = 0;
    qint64 m_furthest = 0;     ///< size of the part when the retries were last reset
    bool m_known = false;      ///< true if the existing bytes belong to this order
    bool m_restarted = false;  ///< true if this item was already restarted once
    bool m_unchecked = false;  ///< true if an item had no known digest
    DownloadState m_state = DownloadState::Waiting;
    QString m_sentence;
    std::optional<HubFault> m_fault;
    QElapsedTimer m_clock;
    std::deque<std::pair<qint64, qint64>> m_marks;  ///< (time in ms, bytes received), for the rate
};

}  // namespace lacuna::app
