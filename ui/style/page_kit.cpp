#include "ui/style/page_kit.h"

#include <QAbstractButton>
#include <QFormLayout>
#include <QFrame>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QTableWidget>
#include <QVBoxLayout>

namespace lacuna::ui {

namespace {

constexpr int kRoomyRow = 24, kDenseRow = 22;  ///< px
constexpr int kLeastTable = 72;                ///< px

template <class Layout>
Layout* plainLayout(QWidget* parent, int spacing) {
    auto* layout = new Layout(parent);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(spacing);
    return layout;
}

}  // namespace

QVBoxLayout* columnLayout(QWidget* parent, int spacing) {
    return plainLayout<QVBoxLayout>(parent, spacing);
}

QHBoxLayout* rowLayout(QWidget* parent, int spacing) {
    return plainLayout<QHBoxLayout>(parent, spacing);
}

QHBoxLayout* rowOf(QWidget* wide, std::initializer_list<QWidget*> others, QWidget* parent) {
    QHBoxLayout* row = rowLayout(parent);
    row->addWidget(wide, 1);
    for (QWidget* other : others) row->addWidget(other);
    return row;
}

QVBoxLayout* pageLayout(QWidget* page) {
    QVBoxLayout* layout = columnLayout(page);
    layout->setContentsMargins(Spacing::wide, Spacing::wide, Spacing::wide, Spacing::wide);
    return layout;
}

QVBoxLayout* tabLayout(QWidget* tab) {
    QVBoxLayout* layout = columnLayout(tab);
    layout->setContentsMargins(0, Spacing::unit, 0, 0);
    return layout;
}

QFormLayout* formLayout(QWidget* parent) {
    auto* form = new QFormLayout(parent);
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(Spacing::wide);
    form->setVerticalSpacing(Spacing::unit);
    return form;
}

QLabel* buddyLabel(const QString& text, QWidget* buddy) {
    QLabel* label = plainLabel(text, buddy->parentWidget());
    label->setBuddy(buddy);
    return label;
}

void addRow(QFormLayout* form, const QString& text, QWidget* buddy, QWidget* field) {
    form->addRow(buddyLabel(text, buddy), field);
}

void addRow(QFormLayout* form, const QString& text, QWidget* buddy, QLayout* field) {
    form->addRow(buddyLabel(text, buddy), field);
}

QFrame* infoBox(QWidget* parent) {
    auto* box = new QFrame(parent);
    setRole(box, QStringLiteral("info"));
    return box;
}

QPushButton* pushButton(const QString& text, const QString& tip, QWidget* parent,
                        const QString& name) {
    auto* button = new QPushButton(text, parent);
    button->setAutoDefault(false);
    explain(button, name.isEmpty() ? text : name, tip);
    return button;
}

void explain(QWidget* widget, const QString& name, const QString& tip) {
    widget->setToolTip(tipText(tip));
    setAccessible(widget, name, tip);
}

void explain(QAbstractButton* button, const QString& tip) {
    explain(button, button->text(), tip);
}

QLineEdit* lineEdit(const QString& name, const QString& tip, QWidget* parent) {
    auto* edit = new QLineEdit(parent);
    explain(edit, name, tip);
    return edit;
}

QLabel* wrappedLabel(QWidget* parent, const QString& text) {
    QLabel* label = plainLabel(text, parent);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

QLabel* wrappedCaption(QWidget* parent, const QString& text) {
    QLabel* label = wrappedLabel(parent, text);
    label->setFont(Theme::font(FontRole::Small));
    setRole(label, QStringLiteral("secondary"));
    return label;
}

QLabel* titleLabel(QWidget* parent) {
    QLabel* label = shrinkingLabel(parent);
    label->setFont(Theme::font(FontRole::Title));
    return label;
}

QLabel* headlineLabel(QWidget* parent) {
    QLabel* label = wrappedLabel(parent);
    label->setFont(Theme::font(FontRole::Headline));
    return label;
}

void showSentence(QLabel* label, const QString& text, bool problem) {
    label->setText(text);
    setRole(label, problem ? QStringLiteral("bad") : QStringLiteral("secondary"));
}

void styleTable(QTableView* table, const QString& name, TableDensity look) {
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setTabKeyNavigation(false);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setMinimumHeight(kLeastTable);
    table->verticalHeader()->hide();
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table->verticalHeader()->setDefaultSectionSize(look == TableDensity::Roomy ? kRoomyRow
                                                                               : kDenseRow);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    setRole(table,
            look == TableDensity::Roomy ? QStringLiteral("roomy") : QStringLiteral("figures"));
    setAccessible(table, name);
}

QTableWidget* textTable(const QStringList& heads, const QString& name, QWidget* parent) {
    auto* table = new QTableWidget(0, static_cast<int>(heads.size()), parent);
    table->setHorizontalHeaderLabels(heads);
    styleTable(table, name);
    table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    return table;
}

void fillTable(QTableWidget* table, const QVector<QStringList>& rows, std::optional<int> figures) {
    table->setRowCount(static_cast<int>(rows.size()));
    for (int column = figures.value_or(table->columnCount()); column < table->columnCount();
         ++column)
        table->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    for (int row = 0; row < rows.size(); ++row) {
        for (int column = 0; column < rows[row].size(); ++column) {
            QTableWidgetItem* item = table->item(row, column);
            if (item == nullptr) table->setItem(row, column, item = new QTableWidgetItem);
            const QString shown = oneLine(rows[row][column], kMaxTitleLength);
            if (item->text() == shown) continue;
            item->setText(shown);
            item->setToolTip(tipText(rows[row][column]));
            if (figures && column >= *figures)
                item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        }
    }
}

}  // namespace lacuna::ui
