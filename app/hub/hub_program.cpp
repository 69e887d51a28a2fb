#include "app/hub/hub_program.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <memory>

#include "app/hub/download.h"
#include "app/hub/hub_lister.h"
#include "app/state/number_format.h"

namespace lacuna::app {

namespace {

constexpr int kStopPollMs = 100;

QString sizeText(qint64 bytes) {
    return bytes < 0 ? QStringLiteral("size unknown") : bytesText(bytes);
}

QString listText(const QVector<HubModel>& models) {
    QString text;
    for (const HubModel& model : models)
        text +=
            QStringLiteral("%1  %2%3\n")
                .arg(sizeText(model.bytes()), 12)
                .arg(model.folder ? QStringLiteral("(the folder, safetensors)") : model.name,
                     model.problem.isEmpty() ? QString() : QStringLiteral("  ") + model.problem);
    return text;
}

QString progressLine(const DownloadView& view) {
    if (view.state == DownloadState::Checking)
        return QStringLiteral("%1: reading the partial file").arg(view.title);
    QString line = view.total < 0
                       ? QStringLiteral("%1: %2").arg(view.title, bytesText(view.done))
                       : QStringLiteral("%1: %2 of %3")
                             .arg(view.title, bytesText(view.done), bytesText(view.total));
    if (view.bytesPerSecond > 0)
        line += QStringLiteral(", %1/s").arg(bytesText(static_cast<qint64>(view.bytesPerSecond)));
    if (view.secondsLeft >= 0)
        line += QStringLiteral(", %1 left").arg(durationText(view.secondsLeft));
    return line;
}

/// One run of the command.
class Run {
  public:
    explicit Run(const HubProgram& program) : m_program(program) {}

    void begin() {
        const auto hub = hubFrom(QString::fromStdString(m_program.hub));
        if (!hub) return fail(hub.error());
        m_hub = *hub;
        QString what = QString::fromStdString(m_program.what);
        if (!m_program.file.empty())
            what += QLatin1Char('/') + QString::fromStdString(m_program.file);
        const auto target = targetFrom(what, m_hub);
        if (!target) return fail(target.error());
        if (target->repository) return list(*target->repository, target->file);
        if (m_program.listOnly || !m_program.file.empty())
            return fail(
                {HubFault::Address,
                 QStringLiteral("The address names a single file, which has no list of models.")});
        const auto request =
            requestFor(target->url, QString::fromStdString(m_program.sha256), folder());
        request ? fetch(*request) : fail(request.error());
    }

    void stop() {
        if (m_ended) return;
        if (m_download) m_download->pause();
        if (!m_ended)
            fail({HubFault::Stopped, QStringLiteral("Stopped. The downloaded part is kept; run the "
                                                    "same command again to resume.")});
    }

    HubOutcome outcome;

  private:
    [[nodiscard]] QString folder() const {
        return QDir(QFile::decodeName(m_program.folder.c_str())).absolutePath();
    }

    void list(const HubRepository& repository, const QString& file) {
        m_lister = std::make_unique<HubLister>(
            FetchRules{m_program.plainHttp ? PlainHttp::Anywhere : PlainHttp::ThisMachineOnly,
                       QByteArray::fromStdString(m_program.token), m_hub});
        QObject::connect(m_lister.get(), &HubLister::failed, m_lister.get(),
                         [this](const HubProblem& problem) { fail(problem); });
        QObject::connect(m_lister.get(), &HubLister::listed, m_lister.get(),
                         [this, repository, file](const QVector<HubFile>& files) {
                             choose(repository, file, modelsIn(files, repository.name));
                         });
        m_lister->list(m_hub, repository);
    }

    void choose(const HubRepository& repository, const QString& file,
                const QVector<HubModel>& models) {
        if (m_program.listOnly) {
            outcome.text = listText(models).toStdString();
            return end();
        }
        const HubModel* chosen = models.size() == 1 && file.isEmpty() ? &models.front() : nullptr;
        for (const HubModel& model : models) {
            if (file.isEmpty()) break;
            for (const HubFile& one : model.files)
                if (!model.folder && one.path == file) chosen = &model;
        }
        if (chosen == nullptr) {
            outcome.text = listText(models).toStdString();
            return fail(
                {HubFault::Address,
                 models.isEmpty() ? QStringLiteral("%1/%2 has no GGUF file and no folder of "
                                                   "safetensors.")
                                        .arg(repository.owner, repository.name)
                 : file.isEmpty()
                     ? QStringLiteral("%1/%2 has %3 models; add the file name of one of them.")
                           .arg(repository.owner, repository.name)
                           .arg(models.size())
                     : QStringLiteral("%1/%2 has no model %3.")
                           .arg(repository.owner, repository.name, file)});
        }
        auto request = requestFor(m_hub, repository, *chosen, folder());
        if (!request) return fail(request.error());
        if (!m_program.sha256.empty()) {
            const auto digest = digestFrom(QString::fromStdString(m_program.sha256));
            if (!digest || request->items.size() != 1)
                return fail({HubFault::Address,
                             digest
                                 ? QStringLiteral(
                                       "A digest applies to one file, but this model has several.")
                                 : QStringLiteral("A SHA-256 digest has 64 digits, 0-9 and a-f.")});
            request->items.front().sha256 = *digest;
        }
        fetch(*request);
    }

    void fetch(DownloadRequest request) {
        request.plainHttp = m_program.plainHttp;
        DownloadDependencies dependencies;
        dependencies.token = QByteArray::fromStdString(m_program.token);
        m_download = std::make_unique<Download>(std::move(request), dependencies);
        QObject::connect(m_download.get(), &Download::changed, m_download.get(), [this] {
            const DownloadView view = m_download->view();
            const double share =
                view.total > 0 ? static_cast<double>(view.done) / static_cast<double>(view.total)
                               : -1;
            if (m_program.progress) m_program.progress(progressLine(view).toStdString(), share);
        });
        QObject::connect(m_download.get(), &Download::stopped, m_download.get(), [this] {
            const DownloadView view = m_download->view();
            if (view.state == DownloadState::Failed)
                return fail({view.fault.value_or(HubFault::Reach), view.sentence});
            if (view.state != DownloadState::Done) return;
            outcome.text = view.path.toStdString() + "\n" + view.sentence.toStdString() + "\n";
            end();
        });
        m_download->start();
    }

    void fail(const HubProblem& problem) {
        outcome.problem =
            std::string(faultName(problem.fault)) + ": " + problem.sentence.toStdString();
        outcome.kind = faultClass(problem.fault);
        end();
    }
    void end() {
        m_ended = true;
        QMetaObject::invokeMethod(qApp, &QCoreApplication::quit, Qt::QueuedConnection);
    }

    const HubProgram& m_program;
    QUrl m_hub;
    std::unique_ptr<HubLister> m_lister;
    std::unique_ptr<Download> m_download;
    bool m_ended = false;
};

}  // namespace

HubOutcome runDownload(int argc, char** argv, const HubProgram& program,
                       const std::stop_token& stop) {
    const QCoreApplication application(argc, argv);
    Run run(program);
    QTimer poll;
    QObject::connect(&poll, &QTimer::timeout, &poll, [&] {
        if (stop.stop_requested()) run.stop();
    });
    poll.start(kStopPollMs);
    QTimer::singleShot(0, &poll, [&] { run.begin(); });
    QCoreApplication::exec();
    return run.outcome;
}

}  // namespace lacuna::app
