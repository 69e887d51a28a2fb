#include "app/state/preview_controller.h"

#include "app/state/engine_host.h"
#include "app/state/measure_rows.h"
#include "app/state/view_rows.h"

namespace lacuna::app {

struct PreviewController::Impl {
    EngineHost& engine;
    EngineConfig asked;
    qint64 shown = 0;
    PreviewView view;  ///< of the conversation shown
    struct Estimate {
        KvOptions kv;  ///< it was asked for
        PreviewView view;
    };
    QHash<qint64, Estimate> estimates;

    void refresh() {
        const auto found = estimates.constFind(shown);
        view = found == estimates.constEnd() ? PreviewView{} : found->view;
        view.conversation = shown;
        // What came stands for itself, whatever is asked for next.
        view.stale = found != estimates.constEnd() && view.stage != PreviewStage::Came &&
                     !(found->kv == asked.kv);
    }
};

PreviewController::PreviewController(EngineHost& engine, QObject* parent)
    : QObject(parent), m_impl(std::make_unique<Impl>(Impl{engine, {}, 0, {}, {}})) {}

PreviewController::~PreviewController() = default;

const PreviewView& PreviewController::view() const {
    return m_impl->view;
}

void PreviewController::estimate() {
    Impl::Estimate estimate;
    estimate.kv = m_impl->asked.kv;
    estimate.view.stage = PreviewStage::Asked;
    estimate.view.settings = settingsText(m_impl->asked);
    m_impl->estimates.insert(m_impl->shown, estimate);
    m_impl->engine.send(RequestPreview{ConversationId(m_impl->shown), estimate.kv});
    m_impl->refresh();
    Q_EMIT changed();
}

void PreviewController::showConversation(qint64 conversation) {
    if (conversation == m_impl->shown) return;
    m_impl->shown = conversation;
    m_impl->refresh();
    Q_EMIT changed();
}

void PreviewController::setAsked(const EngineConfig& config) {
    if (m_impl->asked.kv == config.kv) return;
    m_impl->asked = config;
    m_impl->refresh();
    Q_EMIT changed();
}

void PreviewController::clear() {
    m_impl->estimates.clear();
    m_impl->refresh();
    Q_EMIT changed();
}

void PreviewController::onPreviewed(const CompactionPreviewed& event) {
    const auto asked = m_impl->estimates.find(event.conversation.value);
    // An answer to an older question: the newer one's is on its way.
    if (asked == m_impl->estimates.end() || !(asked->kv == event.kv)) return;
    const QString settings = asked->view.settings;
    asked->view = viewOf(event);
    asked->view.settings = settings;
    m_impl->refresh();
    Q_EMIT changed();
}

void PreviewController::onOutcome(const PreviewOutcome& event) {
    const auto made = m_impl->estimates.find(event.conversation.value);
    if (made == m_impl->estimates.end() || made->view.stage != PreviewStage::Estimated) return;
    made->view.stage = PreviewStage::Came;
    made->view.came = outcomeOf(event);
    m_impl->refresh();
    Q_EMIT changed();
}

}  // namespace lacuna::app
