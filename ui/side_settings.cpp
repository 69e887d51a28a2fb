#include "ui/side_settings.h"

#include <QGridLayout>

#include "app/state/config_controller.h"
#include "ui/knob_row.h"

namespace lacuna::ui {

namespace {

/// Two columns, row by row.
const QStringList& sideKeys() {
    static const QStringList keys{QStringLiteral("method"), QStringLiteral("kv_type"),
                                  QStringLiteral("am_ratio"), QStringLiteral("budget")};
    return keys;
}

}  // namespace

SideSettings::SideSettings(app::ConfigController& config, QWidget* parent) : QWidget(parent) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(16);
    grid->setVerticalSpacing(0);
    for (int i = 0; i < sideKeys().size(); ++i) {
        const QString& key = sideKeys()[i];
        KnobRow* row = settingRow(config, key, this);
        m_rows.insert(key, row);
        grid->addWidget(row, i / 2, i % 2, Qt::AlignTop);
        grid->setColumnStretch(i % 2, 1);
    }
}

}  // namespace lacuna::ui
