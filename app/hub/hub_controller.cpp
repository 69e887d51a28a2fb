#include "app/hub/hub_controller.h"

#include <QDir>
#include <algorithm>
#include <map>
#include <utility>

#include "app/hub/hub_lister.h"

namespace lacuna::app {

/// Runs on the download thread.
class HubController::Worker final : public QObject {
  public:
    explicit Worker(HubController& owner) : m_owner(owner) {}

    void list(int question, const FetchRules& rules, const QUrl& hub,
              const HubRepository& repository) {
        m_lister = std::make_unique<HubLister>(rules);
        connect(m_lister.get(), &HubLister::failed, this, [=, this](const HubProblem& problem) {
            tell([=](HubController& owner) {
                if (owner.m_question != question) return;
                owner.m_asking = false;
                owner.m_problem = problem.sentence;
                Q_EMIT owner.changed();
            });
        });
        connect(m_lister.get(), &HubLister::listed, this, [=, this](const QVector<HubFile>& files) {
            tell([=](HubController& owner) {
                if (owner.m_question == question) owner.onOffers(files);
            });
        });
        m_lister->list(hub, repository);
    }

    void start(int id, const DownloadRequest& request, const DownloadDependencies& dependencies) {
        auto& download = m_downloads[id];
        if (download && download->view().state == DownloadState::Running) return;
        download = std::make_unique<Download>(request, dependencies);
        Download* const one = download.get();
        const auto say = [this, id, one] {
            tell([id, view = one->view()](HubController& owner) { owner.onProgress(id, view); });
        };
        connect(one, &Download::changed, this, say);
        one->start();
    }
    void pause(int id) {
        if (const auto found = m_downloads.find(id); found != m_downloads.end())
            found->second->pause();
    }
    void remove(int id) {
        const auto found = m_downloads.find(id);
        if (found == m_downloads.end()) return;
        found->second->disconnect(this);
        found->second->pause();
        if (found->second->view().state != DownloadState::Done) found->second->discard();
        m_downloads.erase(found);
    }

  private:
    template <class Tell>
    void tell(Tell say) {
        QMetaObject::invokeMethod(
            &m_owner, [owner = &m_owner, say] { say(*owner); }, Qt::QueuedConnection);
    }

    HubController& m_owner;
    std::unique_ptr<HubLister> m_lister;
    std::map<int, std::unique_ptr<Download>> m_downloads;
};

namespace {

/// Small files of a repository are stored in Git itself without a digest; larger ones have one.
constexpr qint64 kLarge = qint64{10} << 20;

HubOffer offerOf(const HubModel& model) {
    HubOffer offer{model.name,   model.bytes(), static_cast<int>(model.files.size()),
                   model.folder, true,          model.problem};
    for (const HubFile& file : model.files)
        offer.digests =
            offer.digests && (!file.sha256.isEmpty() || (file.size >= 0 && file.size < kLarge));
    return offer;
}

}  // namespace

HubController::HubController(DownloadDependencies dependencies, QObject* parent)
    : QObject(parent),
      m_dependencies(std::move(dependencies)),
      m_hub(QString::fromLatin1(kDefaultHub)) {
    m_thread.setObjectName(QStringLiteral("downloads"));
}

HubController::~HubController() {
    if (m_worker == nullptr) return;
    m_worker->deleteLater();  // Deleted on its own thread, at the latest when that ends.
    m_thread.quit();
    m_thread.wait();
}

HubController::Worker& HubController::worker() {
    if (m_worker == nullptr) {
        m_worker = new Worker(*this);
        m_worker->moveToThread(&m_thread);
        m_thread.start();
    }
    return *m_worker;
}

HubView HubController::view() const {
    HubView view{m_hub.toString(), m_folder, m_asked, m_asking, m_problem, {}, {}};
    for (const HubModel& model : m_models) view.offers << offerOf(model);
    for (const Row& row : m_rows) view.rows << HubRow{row.id, row.view};
    return view;
}

void HubController::setFolder(const QString& folder) {
    if (folder == m_folder) return;
    m_folder = folder;
    for (const DownloadRequest& request : requestsIn(folder)) {
        const bool known = std::any_of(m_rows.begin(), m_rows.end(), [&](const Row& row) {
            return row.request.sidecar() == request.sidecar();
        });
        if (!known)
            m_rows.push_back({++m_lastId, request, Download(request, m_dependencies).view()});
    }
    Q_EMIT changed();
}

QString HubController::setHub(const QString& typed) {
    const auto hub = hubFrom(typed);
    if (!hub) return hub.error().sentence;
    if (*hub == m_hub) return {};
    m_hub = *hub;
    m_token.clear();  // The token was for the previous hub.
    Q_EMIT changed();
    return {};
}

void HubController::setToken(const QString& token) {
    m_token = token.trimmed().toLatin1();
}

void HubController::ask(const QString& typed) {
    ++m_question;
    m_asked = typed.trimmed();
    m_problem.clear();
    m_models.clear();
    m_asking = false;
    const auto target = targetFrom(typed, m_hub);
    m_target = target ? std::optional(*target) : std::nullopt;
    const PlainHttp plain = m_plain ? PlainHttp::Anywhere : PlainHttp::ThisMachineOnly;
    if (!target) {
        m_problem = target.error().sentence;
    } else if (!target->repository) {
        m_problem = fetchBlocker(target->url, plain);
        if (m_problem.isEmpty())
            m_models << HubModel{target->url.path().section(QLatin1Char('/'), -1),
                                 {HubFile{target->url.path()}}};
    } else {
        m_problem = fetchBlocker(m_hub, plain);
        m_asking = m_problem.isEmpty();
        if (m_asking) {
            Worker* const on = &worker();
            QMetaObject::invokeMethod(
                on,
                [on, question = m_question, rules = FetchRules{plain, m_token, m_hub}, hub = m_hub,
                 at = *target] { on->list(question, rules, hub, *at.repository); });
        }
    }
    Q_EMIT changed();
}

void HubController::onOffers(const QVector<HubFile>& files) {
    m_asking = false;
    m_models = modelsIn(files, m_target->repository->name);
    if (!m_target->file.isEmpty())
        m_models.removeIf([this](const HubModel& model) {
            return model.folder || std::none_of(model.files.begin(), model.files.end(),
                                                [this](const HubFile& file) {
                                                    return file.path == m_target->file;
                                                });
        });
    if (m_models.isEmpty())
        m_problem = m_target->file.isEmpty()
                        ? tr("%1 has no GGUF file and no folder of safetensors.").arg(m_asked)
                        : tr("The repository has no model %1.").arg(m_target->file);
    Q_EMIT changed();
}

QString HubController::fetch(int offer, const QString& digest) {
    if (offer < 0 || offer >= m_models.size() || !m_target) return tr("Choose a model first.");
    if (m_folder.isEmpty()) return tr("Choose a folder for models first.");
    auto request = m_target->repository
                       ? requestFor(m_hub, *m_target->repository, m_models[offer], m_folder)
                       : requestFor(m_target->url, digest, m_folder);
    if (!request) return request.error().sentence;
    if (m_target->repository && !digest.trimmed().isEmpty()) {
        const auto given = digestFrom(digest);
        if (!given) return tr("A SHA-256 digest has 64 digits, 0-9 and a-f.");
        if (request->items.size() != 1)
            return tr("A digest applies to one file, but this model has several.");
        request->items.front().sha256 = *given;
    }
    request->plainHttp = m_plain;
    for (Row& row : m_rows)
        if (row.request.result() == request->result() && row.view.state != DownloadState::Done) {
            if (row.request.items.front().url != request->items.front().url)
                return tr("%1 is already on the list, from another source. Remove that entry "
                          "first.")
                    .arg(request->result());
            begin(row);
            return {};
        }
    m_rows.prepend({++m_lastId, *request, Download(*request, m_dependencies).view()});
    begin(m_rows.front());
    return {};
}

void HubController::begin(Row& row) {
    row.view.state = DownloadState::Running;
    row.view.sentence.clear();
    row.view.fault.reset();
    DownloadDependencies dependencies = m_dependencies;
    if (!m_token.isEmpty() && sameOrigin(row.request.hub, m_hub)) dependencies.token = m_token;
    Worker* const on = &worker();
    QMetaObject::invokeMethod(on, [on, id = row.id, request = row.request, dependencies] {
        on->start(id, request, dependencies);
    });
    Q_EMIT changed();
}

void HubController::pause(int id) {
    if (m_worker == nullptr || rowOf(id) == nullptr) return;
    QMetaObject::invokeMethod(m_worker, [on = m_worker, id] { on->pause(id); });
}

void HubController::resume(int id) {
    Row* const row = rowOf(id);
    if (row == nullptr || row->view.state == DownloadState::Running ||
        row->view.state == DownloadState::Checking || row->view.state == DownloadState::Done)
        return;
    begin(*row);
}

void HubController::remove(int id) {
    Row* const row = rowOf(id);
    if (row == nullptr) return;
    if (m_worker != nullptr)
        QMetaObject::invokeMethod(m_worker, [on = m_worker, id] { on->remove(id); });
    if (row->view.state != DownloadState::Done && row->view.state != DownloadState::Running &&
        row->view.state != DownloadState::Checking)
        Download(row->request, m_dependencies).discard();
    m_rows.removeIf([id](const Row& one) { return one.id == id; });
    Q_EMIT changed();
}

bool HubController::running() const {
    return std::any_of(m_rows.begin(), m_rows.end(), [](const Row& row) {
        return row.view.state == DownloadState::Running ||
               row.view.state == DownloadState::Checking;
    });
}

HubController::Row* HubController::rowOf(int id) {
    const auto found =
        std::find_if(m_rows.begin(), m_rows.end(), [id](const Row& row) { return row.id == id; });
    return found == m_rows.end() ? nullptr : &*found;
}

void HubController::onProgress(int id, const DownloadView& view) {
    Row* const row = rowOf(id);
    if (row == nullptr) return;
    const bool ended = view.state == DownloadState::Done && row->view.state != DownloadState::Done;
    row->view = view;
    Q_EMIT changed();
    if (ended) Q_EMIT arrived(view.path);
}

}  // namespace lacuna::app
