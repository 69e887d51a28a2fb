#include "ui/chat/pins_dialog.h"

#include <QDialogButtonBox>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/state/chat/chat_controller.h"
#include "app/state/number_format.h"
#include "app/state/telemetry/session_feed.h"
#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

constexpr QSize kSize(480, 320);
constexpr qsizetype kMaxWords = 90;  ///< characters per line

}  // namespace

PinsDialog::PinsDialog(app::ChatController& chat, const app::SessionFeed& feed, QWidget* parent)
    : QDialog(parent),
      m_chat(chat),
      m_feed(feed),
      m_list(new QListWidget(this)),
      m_sum(plainLabel({}, this)),
      m_show(new QPushButton(tr("Go to"), this)),
      m_unpin(new QPushButton(tr("Unpin"), this)),
      m_unpinAll(new QPushButton(tr("Unpin all"), this)) {
    setWindowTitle(tr("Pinned words"));
    resize(kSize);
    m_sum->setWordWrap(true);
    setAccessible(m_list, tr("Pinned words of this conversation"));
    m_list->installEventFilter(this);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->addButton(m_show, QDialogButtonBox::ActionRole);
    buttons->addButton(m_unpin, QDialogButtonBox::ActionRole);
    buttons->addButton(m_unpinAll, QDialogButtonBox::ActionRole);
    QVBoxLayout* layout = pageLayout(this);
    layout->addWidget(m_sum);
    layout->addWidget(m_list, 1);
    layout->addWidget(buttons);
    const auto show = [this] {
        if (m_list->currentRow() >= 0) Q_EMIT showRequested(m_pins.at(m_list->currentRow()));
    };
    connect(m_show, &QPushButton::clicked, this, show);
    connect(m_list, &QListWidget::itemActivated, this, show);
    connect(m_unpin, &QPushButton::clicked, this, &PinsDialog::unpinChosen);
    connect(m_unpinAll, &QPushButton::clicked, &chat, &app::ChatController::unpinAll);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_list, &QListWidget::currentRowChanged, this, &PinsDialog::showButtons);
    connect(&chat, &app::ChatController::pinsChanged, this, &PinsDialog::fill);
    connect(&chat, &app::ChatController::currentChanged, this, &PinsDialog::fill);
    fill();
}

void PinsDialog::fill() {
    const int row = m_list->currentRow();
    m_pins = m_chat.pins();
    m_list->clear();
    qint64 tokens = 0;
    bool counted = !m_pins.isEmpty();
    for (const app::PinRow& pin : m_pins) {
        const QString words = oneLine(pin.text.simplified(), kMaxWords);
        const QString line =
            !pin.tokens ? words
            : pin.evicted.value_or(0) > 0
                ? tr("%1 (tokens: %2, evicted before: %3)")
                      .arg(words, app::countText(*pin.tokens), app::countText(*pin.evicted))
                : tr("%1 (tokens: %2)").arg(words, app::countText(*pin.tokens));
        auto* item = new QListWidgetItem(line, m_list);
        item->setToolTip(tipText(pin.text));
        tokens += pin.tokens.value_or(0);
        counted = counted && pin.tokens.has_value();
    }
    if (!m_pins.isEmpty())
        m_list->setCurrentRow(qBound(0, row, static_cast<int>(m_pins.size()) - 1));
    const app::EngineView& engine = m_feed.engine();
    const qint64 each = engine.contextTokens > 0 ? engine.logicalBytes / engine.contextTokens : 0;
    m_sum->setText(
        m_pins.isEmpty() ? tr("Nothing is pinned. Select words in the chat and choose Pin: "
                              "compaction then keeps them.")
        : !counted
            ? tr("Compaction keeps these words. Their tokens are counted with the next question.")
        : each > 0 ? tr("Compaction keeps these words. Tokens: %1, which take %2 in a full cache; "
                        "they count towards the budget.")
                         .arg(app::countText(tokens), app::bytesText(tokens * each))
                   : tr("Compaction keeps these words. Tokens: %1; they count towards the budget.")
                         .arg(app::countText(tokens)));
    showButtons();
}

void PinsDialog::unpinChosen() {
    if (m_list->currentRow() >= 0) m_chat.unpin(m_pins.at(m_list->currentRow()).words);
}

void PinsDialog::showButtons() {
    const bool chosen = m_list->currentRow() >= 0;
    m_show->setEnabled(chosen);
    m_unpin->setEnabled(chosen);
    m_unpinAll->setEnabled(!m_pins.isEmpty());
}

bool PinsDialog::eventFilter(QObject* watched, QEvent* event) {
    const bool gone = event->type() == QEvent::KeyPress &&
                      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Delete;
    if (gone) unpinChosen();
    return gone || QDialog::eventFilter(watched, event);
}

}  // namespace lacuna::ui
