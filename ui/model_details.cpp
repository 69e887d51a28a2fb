#include "ui/model_details.h"

#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "ui/theme.h"
#include "ui/widget_roles.h"

namespace lacuna::ui {

ModelDetails::ModelDetails(QWidget* parent)
    : QDialog(parent),
      m_heading(plainLabel({}, this)),
      m_verdict(plainLabel({}, this)),
      m_tree(new QTreeWidget(this)),
      m_load(nullptr) {
    setWindowTitle(tr("Model details"));
    resize(720, 720);
    m_heading->setFont(Theme::font(FontRole::Title));
    m_heading->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_verdict->setWordWrap(true);
    m_verdict->setTextInteractionFlags(Qt::TextSelectableByMouse);
    setAccessible(m_tree, tr("Model details"));
    m_tree->setColumnCount(2);
    m_tree->setHeaderHidden(true);
    m_tree->setRootIsDecorated(false);
    m_tree->setUniformRowHeights(false);
    m_tree->setTextElideMode(Qt::ElideMiddle);
    m_tree->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    m_tree->header()->setStretchLastSection(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    m_load = buttons->addButton(tr("Load this model"), QDialogButtonBox::AcceptRole);
    QPushButton* copy = buttons->addButton(tr("Copy"), QDialogButtonBox::ActionRole);
    copy->setToolTip(tipText(tr("Put the page on the clipboard as text.")));
    connect(copy, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(text()); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        Q_EMIT loadAsked(m_page.path);
        close();
    });
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 12, 12, 12);
    layout->setSpacing(8);
    layout->addWidget(m_heading);
    layout->addWidget(m_verdict);
    layout->addWidget(m_tree, 1);
    layout->addWidget(buttons);
}

void ModelDetails::show(const app::ModelPageView& page, bool inUse) {
    m_page = page;
    m_heading->setText(oneLine(page.heading, kMaxTitleLength));
    const QString state = !page.problem.isEmpty()
                              ? tr("This file cannot be used: %1").arg(page.problem)
                          : inUse ? tr("This model is loaded.")
                                  : tr("This model can be loaded.");
    m_verdict->setText(page.verdict.isEmpty() ? state : state + QLatin1Char(' ') + page.verdict);
    m_load->setVisible(!inUse && page.problem.isEmpty());
    fill(page);
    QDialog::show();
    raise();
    activateWindow();
}

void ModelDetails::fill(const app::ModelPageView& page) {
    m_tree->clear();
    for (const app::ModelPageView::Section& section : page.sections) {
        auto* group = new QTreeWidgetItem(m_tree, {section.title});
        QFont bold = group->font(0);
        bold.setWeight(QFont::DemiBold);
        group->setFont(0, bold);
        group->setFirstColumnSpanned(true);
        for (const app::ModelPageView::Line& line : section.lines) {
            auto* row = new QTreeWidgetItem(group, {line.label, line.value});
            row->setToolTip(1, tipText(line.value));
        }
        group->setExpanded(true);
    }
}

QString ModelDetails::text() const {
    QString out = m_page.heading + QLatin1Char('\n');
    for (const app::ModelPageView::Section& section : m_page.sections) {
        out += QLatin1Char('\n') + section.title + QLatin1Char('\n');
        for (const app::ModelPageView::Line& line : section.lines)
            out += line.label + QStringLiteral(": ") + line.value + QLatin1Char('\n');
    }
    return out;
}

}  // namespace lacuna::ui
