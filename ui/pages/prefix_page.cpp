#include "ui/pages/prefix_page.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

#include "app/state/chat/chat_controller.h"
#include "app/state/models/memory_controller.h"
#include "app/state/number_format.h"
#include "app/state/settings/config_controller.h"
#include "ui/panels/setting_row.h"
#include "ui/style/page_kit.h"
#include "ui/style/row_table.h"

namespace lacuna::ui {

namespace {

using app::ConversationMemory;
using app::MemoryTier;
using app::MemoryView;
using app::TierView;

constexpr int kTickMs = 250;

using MemoryRow = const ConversationMemory&;
constexpr int kTitleColumn = 0, kSourceColumn = 4, kPrivateColumn = 5;

QString privateTip() {
    return PrefixPage::tr(
        "From now on its text is not stored for other conversations, and prefixes of others are "
        "not used. What was stored before stays until it is cleared.");
}

std::vector<RowTable<ConversationMemory>::Column> memoryColumns() {
    using enum CellAlign;
    return {{PrefixPage::tr("Conversation"), {}, Words, [](MemoryRow one) { return one.title; }},
            {PrefixPage::tr("Cached"),
             PrefixPage::tr("Tokens in its own cache after its last step in this run"), Figures,
             [](MemoryRow one) { return one.tokens > 0 ? app::countText(one.tokens) : dash(); }},
            {PrefixPage::tr("Bytes"), PrefixPage::tr("Size of these tokens"), Figures,
             [](MemoryRow one) { return one.tokens > 0 ? app::bytesText(one.liveBytes) : dash(); }},
            {PrefixPage::tr("Reused"),
             PrefixPage::tr("Part of its last prompt that was not read again"), Figures,
             [](MemoryRow one) {
                 return one.promptTokens == 0 ? dash()
                                              : PrefixPage::tr("%1 of %2")
                                                    .arg(app::countText(one.reusedTokens),
                                                         app::countText(one.promptTokens));
             }},
            {PrefixPage::tr("Source, or why not"),
             PrefixPage::tr("Source of the reused part, or why no more was reused"), Words,
             [](MemoryRow one) { return one.from; }},
            {PrefixPage::tr("Private"), privateTip(), Words, [](MemoryRow) { return QString(); }}};
}

QString tierName(MemoryTier tier) {
    return tier == MemoryTier::Memory ? DiskTierPanel::tr("In memory")
                                      : DiskTierPanel::tr("On disk");
}

QString settingOf(MemoryTier tier) {
    return tier == MemoryTier::Memory ? QStringLiteral("prefix_cache")
                                      : QStringLiteral("prefix_disk");
}

/// `limited`: the setting has a limit, even if the engine has not reported it yet.
QString heldText(MemoryTier tier, const TierView& view, bool limited) {
    if (view.bytes == 0 && view.limitBytes <= 0 && !limited)
        return DiskTierPanel::tr("Off: nothing is stored. Set a limit to turn it on.");
    if (view.bytes == 0 && view.limitBytes <= 0)
        return DiskTierPanel::tr("Nothing has been stored in this run yet.");
    return (tier == MemoryTier::Memory ? DiskTierPanel::tr("%1 of %2, %3 texts")
                                       : DiskTierPanel::tr("%1 of %2, %3 pages"))
        .arg(app::bytesText(view.bytes), app::bytesText(view.limitBytes),
             app::countText(view.entries));
}

QString useText(const TierView& view) {
    if (view.lookups == 0) return DiskTierPanel::tr("Not used in this run yet.");
    if (view.hits == 0 && view.lookups == 1)
        return DiskTierPanel::tr("The only lookup so far was a miss.");
    if (view.hits == 0)
        return DiskTierPanel::tr("All %1 lookups were misses.").arg(app::countText(view.lookups));
    return DiskTierPanel::tr("%1 of %2 lookups were hits: %3 tokens, about %4 saved")
        .arg(app::countText(view.hits), app::countText(view.lookups),
             app::countText(view.tokensReused), app::durationText(view.savedSeconds));
}

QString linesOf(const QVector<std::pair<QString, qint64>>& rows, const QString& before) {
    QStringList lines;
    for (const auto& [words, count] : rows)
        lines << DiskTierPanel::tr("%1 %2: %3").arg(before, words, app::countText(count));
    return lines.join(QLatin1Char('\n'));
}

QString reasonsText(const TierView& view) {
    QStringList parts{linesOf(view.hitKinds, DiskTierPanel::tr("Hit,")),
                      linesOf(view.missReasons, DiskTierPanel::tr("Miss,")), view.remark};
    parts.removeAll(QString());
    return parts.join(QLatin1Char('\n'));
}

}  // namespace

DiskTierPanel::DiskTierPanel(MemoryTier tier, app::MemoryController& memory,
                             app::ConfigController& config, QWidget* parent)
    : QFrame(parent), m_tier(tier), m_config(config) {
    setRole(this, QStringLiteral("info"));
    setAccessible(this, tierName(tier));
    QVBoxLayout* layout = columnLayout(this, Spacing::half);
    layout->setContentsMargins(Spacing::unit, Spacing::unit, Spacing::unit, Spacing::unit);
    QLabel* name = titleLabel(this);
    name->setText(tierName(tier));
    m_clear = pushButton(tr("Clear"),
                         tr("Clear what is stored here, after %1 seconds during which you can undo "
                            "it. Conversations keep their own caches.")
                             .arg(app::MemoryController::kUndoMs / 1000),
                         this,
                         tier == MemoryTier::Memory ? tr("Clear the prefix cache in memory")
                                                    : tr("Clear the prefix cache on disk"));
    setRole(m_clear, QStringLiteral("quiet"));
    connect(m_clear, &QPushButton::clicked, this, [&memory, tier] { memory.clear(tier); });
    layout->addLayout(rowOf(name, {m_clear}));
    layout->addWidget(m_held = wrappedLabel(this));
    layout->addWidget(m_filled = shareBar(0, this));
    layout->addWidget(m_use = wrappedLabel(this));
    layout->addWidget(m_reasons = wrappedCaption(this));
    layout->addWidget(m_problem = wrappedLabel(this));
    setRole(m_problem, QStringLiteral("bad"));
    layout->addStretch(1);
    if (tier == MemoryTier::Disk) buildFidelity(memory, layout);
    layout->addWidget(settingRow(config, settingOf(tier), this));
}

/// Adds the choice of the precision of stored rows. It belongs to the folder, so it is not a
/// session setting.
void DiskTierPanel::buildFidelity(app::MemoryController& memory, QVBoxLayout* layout) {
    m_fidelity = new QComboBox(this);
    const std::pair<PageFidelity, QString> choices[] = {
        {PageFidelity::Auto, tr("small: transform or 8 bits")},
        {PageFidelity::EightBits, tr("8 bits")},
        {PageFidelity::Exact, tr("exact, bit for bit")}};
    for (const auto& [fidelity, words] : choices)
        m_fidelity->addItem(words, static_cast<int>(fidelity));
    m_fidelity->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_fidelity->setMinimumContentsLength(12);
    explain(m_fidelity, tr("Precision of rows on disk"),
            tr("Precision of pages written from now on, by every program that shares the folder. "
               "An answer that continues from rounded rows can differ from one computed from exact "
               "rows."));
    connect(m_fidelity, &QComboBox::activated, this, [this, &memory](int index) {
        memory.setPageFidelity(static_cast<PageFidelity>(m_fidelity->itemData(index).toInt()));
    });
    QHBoxLayout* row = rowLayout();
    row->addWidget(buddyLabel(tr("Rows stored"), m_fidelity));
    row->addWidget(m_fidelity, 1);
    layout->addLayout(row);
}

void DiskTierPanel::show(const TierView& view) {
    m_held->setText(heldText(m_tier, view, m_config.spec(settingOf(m_tier)).number() > 0));
    const double share =
        view.limitBytes > 0 ? static_cast<double>(view.bytes) / static_cast<double>(view.limitBytes)
                            : 0;
    showShare(*m_filled, std::min(share, 1.0));
    setAccessible(m_filled, tr("Fill level"), m_held->text());
    m_use->setText(useText(view));
    m_reasons->setText(reasonsText(view));
    m_reasons->setVisible(!m_reasons->text().isEmpty());
    m_problem->setText(view.problem);
    m_problem->setVisible(!view.problem.isEmpty());
    m_clear->setEnabled(view.bytes > 0 || view.entries > 0);
    if (m_fidelity != nullptr)
        m_fidelity->setCurrentIndex(m_fidelity->findData(static_cast<int>(view.fidelity)));
}

/// Conversations in list order, with a check box for privacy.
class ConversationTable final : public RowTable<ConversationMemory> {
  public:
    ConversationTable(app::ChatController& chat, QObject* parent)
        : RowTable(memoryColumns(), parent), m_chat(chat) {}

    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override {
        const Qt::ItemFlags flags = RowTable::flags(index);
        return index.column() == kPrivateColumn ? flags | Qt::ItemIsUserCheckable : flags;
    }
    bool setData(const QModelIndex& index, const QVariant& value, int role) override {
        if (!index.isValid() || index.column() != kPrivateColumn || role != Qt::CheckStateRole)
            return false;
        m_chat.setPrivate(row(index.row())->id, value.toInt() == Qt::Checked);
        return true;
    }

  protected:
    [[nodiscard]] QVariant cell(MemoryRow one, int column, int role) const override {
        if (column != kPrivateColumn) return {};
        if (role == Qt::CheckStateRole) return one.isPrivate ? Qt::Checked : Qt::Unchecked;
        if (role == Qt::ToolTipRole) return tipText(privateTip());
        if (role == Qt::AccessibleTextRole)
            return one.isPrivate ? PrefixPage::tr("private") : PrefixPage::tr("not private");
        return {};
    }

  private:
    app::ChatController& m_chat;
};

PrefixPage::PrefixPage(app::MemoryController& memory, app::ChatController& chat,
                       app::ConfigController& config, QWidget* parent)
    : QWidget(parent), m_memory(memory), m_chat(chat), m_config(config) {
    setWindowTitle(tr("Stored prefixes"));
    QVBoxLayout* layout = pageLayout(this);
    layout->addWidget(m_headline = headlineLabel(this));
    m_detail = wrappedLabel(this, tr("Text that was read is stored, so conversations, branches and "
                                     "requests with the same prefix need not read it again."));
    setRole(m_detail, QStringLiteral("secondary"));
    layout->addWidget(m_detail);
    buildTiers(layout);
    buildUndo(layout);
    buildTable(layout);
    setFocusProxy(m_table);
    connect(&memory, &app::MemoryController::changed, this, [this] {
        if (isVisible()) refresh();
    });
    for (const MemoryTier tier : {MemoryTier::Memory, MemoryTier::Disk})
        connect(&config.setting(settingOf(tier)), &app::SettingModel::changed, this, [this] {
            if (isVisible()) refresh();
        });
    refresh();
}

void PrefixPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

void PrefixPage::buildTiers(QVBoxLayout* layout) {
    QHBoxLayout* row = rowLayout();
    m_inMemory = new DiskTierPanel(MemoryTier::Memory, m_memory, m_config, this);
    row->addWidget(m_inMemory, 1);
    m_onDisk = new DiskTierPanel(MemoryTier::Disk, m_memory, m_config, this);
    row->addWidget(m_onDisk, 1);
    layout->addLayout(row);
}

void PrefixPage::buildUndo(QVBoxLayout* layout) {
    m_undoBar = infoBox(this);
    m_undoText = wrappedLabel(m_undoBar);
    m_undo = pushButton(tr("Undo"), {}, m_undoBar, tr("Undo clearing"));
    connect(m_undo, &QPushButton::clicked, &m_memory, &app::MemoryController::undoClear);
    rowOf(m_undoText, {m_undo}, m_undoBar)
        ->setContentsMargins(Spacing::unit, Spacing::half, Spacing::unit, Spacing::half);
    layout->addWidget(m_undoBar);
    m_countDown = new QTimer(this);
    m_countDown->setInterval(kTickMs);
    connect(m_countDown, &QTimer::timeout, this, &PrefixPage::refreshUndo);
}

void PrefixPage::buildTable(QVBoxLayout* layout) {
    m_rows = new ConversationTable(m_chat, this);
    m_table = new QTableView(this);
    m_table->setModel(m_rows);
    styleTable(m_table, tr("Conversations and their caches"));
    for (const int column : {kTitleColumn, kSourceColumn})
        m_table->horizontalHeader()->setSectionResizeMode(column, QHeaderView::Stretch);
    m_caches = wrappedCaption(this);
    layout->addWidget(m_table, 1);
    layout->addWidget(m_caches);
}

void PrefixPage::refresh() {
    const MemoryView view = m_memory.view();
    const double share = view.promptTokens > 0 ? static_cast<double>(view.reusedTokens) /
                                                     static_cast<double>(view.promptTokens)
                                               : 0;
    m_headline->setText(view.promptTokens == 0
                            ? tr("No questions in this run yet")
                            : tr("%1 of %2 prompt tokens came from a cache (%3)")
                                  .arg(app::countText(view.reusedTokens),
                                       app::countText(view.promptTokens), app::percentText(share)));
    m_inMemory->show(view.memory);
    m_onDisk->show(view.disk);
    m_rows->setRows(view.conversations);
    m_caches->setText(tr("Conversation caches take %1 now. Four of them stay in memory; for "
                         "another, the least recently used one is released, and its conversation "
                         "then continues from the prefix cache.")
                          .arg(app::bytesText(view.cacheBytes)));
    refreshUndo();
}

void PrefixPage::refreshUndo() {
    const auto clearing = m_memory.clearing();
    m_undoBar->setVisible(clearing.has_value());
    if (!clearing) return m_countDown->stop();
    m_undoText->setText((*clearing == MemoryTier::Memory
                             ? tr("The prefix cache in memory is cleared in %1 s.")
                             : tr("The prefix cache on disk is cleared in %1 s."))
                            .arg(m_memory.secondsLeft()));
    if (!m_countDown->isActive()) m_countDown->start();
}

}  // namespace lacuna::ui
