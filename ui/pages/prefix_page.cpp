#include "ui/pages/prefix_page.h"

#include <QAbstractTableModel>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScreen>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

#include "app/state/chat/chat_controller.h"
#include "app/state/models/memory_controller.h"
#include "app/state/number_format.h"
#include "app/state/settings/config_controller.h"
#include "ui/panels/setting_row.h"
#include "ui/style/theme.h"
#include "ui/style/widget_roles.h"

namespace lacuna::ui {

namespace {

using app::ConversationMemory;
using app::MemoryTier;
using app::MemoryView;
using app::TierView;

constexpr int kRowHeight = 24;  ///< px
constexpr int kTickMs = 250;

enum Column { Title, Cached, Bytes, Reused, From, Private, kColumns };

QString headText(int column) {
    switch (column) {
        case Title:
            return PrefixPage::tr("Conversation");
        case Cached:
            return PrefixPage::tr("Cached");
        case Bytes:
            return PrefixPage::tr("Bytes");
        case Reused:
            return PrefixPage::tr("Reused");
        case From:
            return PrefixPage::tr("Source, or why not");
        default:
            return PrefixPage::tr("Private");
    }
}

QString headTip(int column) {
    switch (column) {
        case Cached:
            return PrefixPage::tr("Tokens in its own cache after its last step in this run");
        case Bytes:
            return PrefixPage::tr("Size of these tokens");
        case Reused:
            return PrefixPage::tr("Part of its last prompt that was not read again");
        case From:
            return PrefixPage::tr("Source of the reused part, or why no more was reused");
        case Private:
            return PrefixPage::tr(
                "From now on its text is not stored for other conversations, and prefixes of "
                "others are not used. What was stored before stays until it is cleared.");
        default:
            return headText(column);
    }
}

QString dash() {
    return QString(QChar(0x2013));
}

QString reusedText(const ConversationMemory& one) {
    if (one.promptTokens == 0) return dash();
    return PrefixPage::tr("%1 of %2")
        .arg(app::countText(one.reusedTokens), app::countText(one.promptTokens));
}

QString cellText(const ConversationMemory& one, int column) {
    switch (column) {
        case Title:
            return one.title;
        case Cached:
            return one.tokens > 0 ? app::countText(one.tokens) : dash();
        case Bytes:
            return one.tokens > 0 ? app::bytesText(one.liveBytes) : dash();
        case Reused:
            return reusedText(one);
        case From:
            return one.from;
        default:
            return {};
    }
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
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 8, 10, 8);
    layout->setSpacing(4);
    auto* head = new QHBoxLayout;
    QLabel* name = plainLabel(tierName(tier), this);
    name->setFont(Theme::font(FontRole::Title));
    m_clear = new QPushButton(tr("Clear"), this);
    m_clear->setAutoDefault(false);
    setRole(m_clear, QStringLiteral("quiet"));
    m_clear->setToolTip(tipText(tr("Clear what is stored here, after %1 seconds during which you "
                                   "can undo it. Conversations keep their own caches.")
                                    .arg(app::MemoryController::kUndoMs / 1000)));
    setAccessible(m_clear, tier == MemoryTier::Memory ? tr("Clear the prefix cache in memory")
                                                      : tr("Clear the prefix cache on disk"));
    connect(m_clear, &QPushButton::clicked, this, [&memory, tier] { memory.clear(tier); });
    head->addWidget(name, 1);
    head->addWidget(m_clear);
    layout->addLayout(head);
    m_held = plainLabel({}, this);
    m_filled = shareBar(0, this);
    m_use = plainLabel({}, this);
    m_reasons = captionLabel({}, this);
    m_trouble = plainLabel({}, this);
    setRole(m_trouble, QStringLiteral("bad"));
    layout->addWidget(m_held);
    layout->addWidget(m_filled);
    layout->addWidget(m_use);
    layout->addWidget(m_reasons);
    layout->addWidget(m_trouble);
    for (QLabel* label : {m_held, m_use, m_reasons, m_trouble}) label->setWordWrap(true);
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
    m_fidelity->setToolTip(tipText(tr(
        "Precision of pages written from now on, by every program that shares the folder. An "
        "answer that continues from rounded rows can differ from one computed from exact rows.")));
    setAccessible(m_fidelity, tr("Precision of rows on disk"));
    connect(m_fidelity, &QComboBox::activated, this, [this, &memory](int index) {
        memory.keepPagesAs(static_cast<PageFidelity>(m_fidelity->itemData(index).toInt()));
    });
    auto* row = new QHBoxLayout;
    QLabel* const name = plainLabel(tr("Rows stored"), this);
    name->setBuddy(m_fidelity);
    row->addWidget(name);
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
    m_trouble->setText(view.trouble);
    m_trouble->setVisible(!view.trouble.isEmpty());
    m_clear->setEnabled(view.bytes > 0 || view.entries > 0);
    if (m_fidelity != nullptr)
        m_fidelity->setCurrentIndex(m_fidelity->findData(static_cast<int>(view.fidelity)));
}

/// Conversations in list order, with a check box for privacy.
class ConversationTable final : public QAbstractTableModel {
  public:
    ConversationTable(app::ChatController& chat, QObject* parent)
        : QAbstractTableModel(parent), m_chat(chat) {}

    void show(QVector<ConversationMemory> rows) {
        const bool same = rows.size() == m_shown.size();
        if (!same) beginResetModel();
        m_shown = std::move(rows);
        if (!same) return endResetModel();
        if (!m_shown.isEmpty())
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
    }
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
    }
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : kColumns;
    }
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override {
        const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
        return index.column() == Private ? flags | Qt::ItemIsUserCheckable : flags;
    }
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override {
        if (!index.isValid()) return {};
        const ConversationMemory& one = m_shown.at(index.row());
        const int column = index.column();
        if (role == Qt::DisplayRole) return oneLine(cellText(one, column), kMaxTitleLength);
        if (role == Qt::CheckStateRole && column == Private)
            return one.isPrivate ? Qt::Checked : Qt::Unchecked;
        if (role == Qt::ToolTipRole)
            return tipText(column == Private ? headTip(Private) : cellText(one, column));
        if (role == Qt::AccessibleTextRole && column == Private)
            return one.isPrivate ? PrefixPage::tr("private") : PrefixPage::tr("not private");
        if (role == Qt::TextAlignmentRole && column >= Cached && column <= Reused)
            return QVariant(Qt::AlignRight | Qt::AlignVCenter);
        return {};
    }
    bool setData(const QModelIndex& index, const QVariant& value, int role) override {
        if (!index.isValid() || index.column() != Private || role != Qt::CheckStateRole)
            return false;
        m_chat.setPrivate(m_shown.at(index.row()).id, value.toInt() == Qt::Checked);
        return true;
    }
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override {
        if (orientation != Qt::Horizontal) return {};
        if (role == Qt::DisplayRole) return headText(section);
        if (role == Qt::ToolTipRole) return tipText(headTip(section));
        if (role == Qt::TextAlignmentRole && section >= Cached && section <= Reused)
            return QVariant(Qt::AlignRight | Qt::AlignVCenter);
        return {};
    }

  private:
    app::ChatController& m_chat;
    QVector<ConversationMemory> m_shown;
};

PrefixPage::PrefixPage(app::MemoryController& memory, app::ChatController& chat,
                       app::ConfigController& config, QWidget* parent)
    : QWidget(parent), m_memory(memory), m_chat(chat), m_config(config) {
    setWindowTitle(tr("Stored prefixes"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 12, 12, 12);
    layout->setSpacing(8);
    m_headline = plainLabel({}, this);
    m_headline->setFont(Theme::font(FontRole::Headline));
    m_headline->setWordWrap(true);
    m_detail = plainLabel(tr("Text that was read is stored, so conversations, branches and "
                             "requests with the same prefix need not read it again."),
                          this);
    m_detail->setWordWrap(true);
    setRole(m_detail, QStringLiteral("secondary"));
    layout->addWidget(m_headline);
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
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    m_inMemory = new DiskTierPanel(MemoryTier::Memory, m_memory, m_config, this);
    row->addWidget(m_inMemory, 1);
    m_onDisk = new DiskTierPanel(MemoryTier::Disk, m_memory, m_config, this);
    row->addWidget(m_onDisk, 1);
    layout->addLayout(row);
}

void PrefixPage::buildUndo(QVBoxLayout* layout) {
    m_undoBar = new QFrame(this);
    setRole(m_undoBar, QStringLiteral("info"));
    auto* row = new QHBoxLayout(m_undoBar);
    row->setContentsMargins(10, 4, 6, 4);
    m_undoText = plainLabel({}, m_undoBar);
    m_undoText->setWordWrap(true);
    m_undo = new QPushButton(tr("Undo"), m_undoBar);
    m_undo->setAutoDefault(false);
    setAccessible(m_undo, tr("Undo clearing"));
    connect(m_undo, &QPushButton::clicked, &m_memory, &app::MemoryController::undoClear);
    row->addWidget(m_undoText, 1);
    row->addWidget(m_undo);
    layout->addWidget(m_undoBar);
    m_countDown = new QTimer(this);
    m_countDown->setInterval(kTickMs);
    connect(m_countDown, &QTimer::timeout, this, &PrefixPage::refreshUndo);
}

void PrefixPage::buildTable(QVBoxLayout* layout) {
    m_rows = new ConversationTable(m_chat, this);
    m_table = new QTableView(this);
    setRole(m_table, QStringLiteral("roomy"));
    m_table->setModel(m_rows);
    m_table->setAccessibleName(tr("Conversations and their caches"));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setTabKeyNavigation(false);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->verticalHeader()->setDefaultSectionSize(kRowHeight);
    QHeaderView* head = m_table->horizontalHeader();
    head->setHighlightSections(false);
    head->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    head->setSectionResizeMode(Title, QHeaderView::Stretch);
    head->setSectionResizeMode(From, QHeaderView::Stretch);
    for (const Column column : {Cached, Bytes, Reused, Private})
        head->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    m_caches = captionLabel({}, this);
    m_caches->setWordWrap(true);
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
    m_rows->show(view.conversations);
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
