#include "ui/command_window.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "app/state/application_state.h"
#include "app/state/command_run.h"
#include "app/state/list_text.h"
#include "app/state/model_controller.h"
#include "ui/action_registry.h"
#include "ui/knob_row.h"
#include "ui/theme.h"
#include "ui/widget_roles.h"
#include "ui/window_dialogs.h"

namespace lacuna::ui {

namespace {

constexpr QSize kSize(860, 640);
constexpr int kListWidth = 180;
constexpr int kProgressWidth = 140;

struct Place {
    const char* command;
    const char* action;
};
/// Where the window does the same.
constexpr std::array kPlaces{
    Place{"chat", "chat.new"},           Place{"generate", "chat.new"},
    Place{"inspect", "model.inspect"},   Place{"convert", "model.page"},
    Place{"quantize", "model.page"},     Place{"calibrate-kv", "model.page"},
    Place{"download", "model.page"},     Place{"sweep", "measure.sweep"},
    Place{"compare", "measure.compare"}, Place{"preview", "focus.tuning"},
    Place{"settings", "focus.tuning"},   Place{"replay", "report.open"},
    Place{"tier status", "memory.open"}, Place{"tier clear", "memory.open"},
    Place{"tier codec", "memory.open"},  Place{"serve", "server.open"},
    Place{"demo", "demo.run"},           Place{"manual", "help.shortcuts"}};
/// They talk with a terminal, go on until they are ended, or take away what the window gives back.
constexpr std::array kElsewhere{"chat", "serve", "window", "tier clear"};

}  // namespace

QString CommandWindow::actionOf(const QString& command) {
    const auto* const found = std::find_if(kPlaces.begin(), kPlaces.end(), [&](const Place& place) {
        return command == QLatin1String(place.command);
    });
    return found == kPlaces.end() ? QString() : QString::fromLatin1(found->action);
}

bool CommandWindow::runsHere(const QString& command) {
    return std::none_of(kElsewhere.begin(), kElsewhere.end(),
                        [&](const char* name) { return command == QLatin1String(name); });
}

CommandWindow::CommandWindow(app::ApplicationState& state, const ActionRegistry& actions,
                             FileDialogs& files, QWidget* parent)
    : QDialog(parent), m_state(state), m_actions(actions), m_files(files) {
    setWindowTitle(tr("Command line"));
    resize(kSize);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 16, 16, 16);
    layout->setSpacing(8);
    QLabel* what = captionLabel(
        tr("Everything that the command line can. A command works in a process of its own beside "
           "the window, with a model of its own where it needs one; its help is in English."),
        this);
    what->setWordWrap(true);
    layout->addWidget(what);
    auto* sides = new QSplitter(Qt::Horizontal, this);
    sides->setChildrenCollapsible(false);
    sides->addWidget(buildList());
    auto* halves = new QSplitter(Qt::Vertical, sides);
    halves->setChildrenCollapsible(false);
    halves->addWidget(buildCommand());
    halves->addWidget(buildOutput());
    halves->setStretchFactor(0, 3);
    halves->setStretchFactor(1, 2);
    sides->setStretchFactor(1, 1);
    sides->setSizes({kListWidth, kSize.width() - kListWidth});
    layout->addWidget(sides, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    // Enter in a field runs the command; nowhere does it close the page.
    buttons->button(QDialogButtonBox::Close)->setAutoDefault(false);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);
    connectState();
    showCommand();
}

QWidget* CommandWindow::buildList() {
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 8, 0);
    column->setSpacing(8);
    m_words = new QLineEdit(box);
    m_words->setPlaceholderText(tr("Find a command"));
    m_words->setClearButtonEnabled(true);
    setAccessible(m_words, tr("Find a command"), tr("Words of its name, help or options."));
    m_list = new QListWidget(box);
    setAccessible(m_list, tr("Commands"));
    column->addWidget(m_words);
    column->addWidget(m_list, 1);
    connect(m_words, &QLineEdit::textChanged, this, &CommandWindow::showTable);
    connect(m_list, &QListWidget::currentRowChanged, this, &CommandWindow::showCommand);
    return box;
}

QWidget* CommandWindow::buildCommand() {
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(8, 0, 0, 8);
    column->setSpacing(8);
    m_title = plainLabel({}, box);
    m_title->setFont(Theme::font(FontRole::Title));
    m_page = new QPushButton(box);
    m_page->setAutoDefault(false);
    auto* head = new QHBoxLayout;
    head->setSpacing(8);
    head->addWidget(m_title, 1);
    head->addWidget(m_page);
    m_help = captionLabel({}, box);
    m_help->setWordWrap(true);
    m_form = new QScrollArea(box);
    m_form->setFrameShape(QFrame::NoFrame);
    m_form->setWidgetResizable(true);
    m_form->setFocusPolicy(Qt::NoFocus);
    column->addLayout(head);
    column->addWidget(m_help);
    column->addWidget(m_form, 1);
    connect(m_page, &QPushButton::clicked, this, [this] {
        if (QAction* action = m_actions.find(actionOf(m_shown))) action->trigger();
    });
    return box;
}

QWidget* CommandWindow::buildOutput() {
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(8, 8, 0, 0);
    column->setSpacing(8);
    m_line = new QLineEdit(box);
    m_line->setReadOnly(true);
    m_line->setFont(Theme::font(FontRole::Mono));
    setAccessible(m_line, tr("The command as in a terminal"));
    m_copy = new QPushButton(tr("Copy"), box);
    setAccessible(m_copy, tr("Copy the command"));
    m_run = new QPushButton(tr("Run"), box);
    setRole(m_run, QStringLiteral("primary"));
    m_stop = new QPushButton(tr("Stop"), box);
    setAccessible(m_stop, tr("Stop the command"));
    auto* first = new QHBoxLayout;
    first->setSpacing(8);
    first->addWidget(m_line, 1);
    for (QPushButton* button : {m_copy, m_run, m_stop}) {
        button->setAutoDefault(false);
        first->addWidget(button);
    }
    m_sentence = plainLabel({}, box);
    m_sentence->setWordWrap(true);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_sentence->setAccessibleName(tr("What became of the command"));
    m_progress = shareBar(kProgressWidth, box);
    setAccessible(m_progress, tr("Progress of the command"));
    m_save = new QPushButton(tr("Save output..."), box);
    m_save->setAutoDefault(false);
    auto* second = new QHBoxLayout;
    second->setSpacing(8);
    second->addWidget(m_sentence, 1);
    second->addWidget(m_progress);
    second->addWidget(m_save);
    m_output = new QPlainTextEdit(box);
    m_output->setReadOnly(true);
    m_output->setTabChangesFocus(true);
    m_output->setFont(Theme::font(FontRole::Mono));
    m_output->setPlaceholderText(tr("What the command prints stands here."));
    setAccessible(m_output, tr("Output of the command"));
    column->addLayout(first);
    column->addLayout(second);
    column->addWidget(m_output, 1);
    connect(m_copy, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(m_line->text()); });
    connect(m_run, &QPushButton::clicked, this, [this] {
        m_output->clear();
        if (const app::CommandRow* command = row())
            m_state.commands().run(app::commandWords(*command, m_values.value(m_shown)));
    });
    connect(m_stop, &QPushButton::clicked, &m_state.commands(), &app::CommandRun::stop);
    connect(m_save, &QPushButton::clicked, this, &CommandWindow::saveOutput);
    return box;
}

void CommandWindow::connectState() {
    app::CommandRun& commands = m_state.commands();
    connect(&commands, &app::CommandRun::tableRead, this, &CommandWindow::showTable);
    connect(&commands, &app::CommandRun::changed, this, &CommandWindow::refresh);
    connect(&commands, &app::CommandRun::printed, this, [this](const QString& more) {
        m_output->moveCursor(QTextCursor::End);
        m_output->insertPlainText(more);
    });
}

void CommandWindow::showEvent(QShowEvent* event) {
    QDialog::showEvent(event);
    m_state.commands().readTable();
    m_words->setFocus();
}

void CommandWindow::showTable() {
    const QString asked = m_words->text().simplified();
    const QString before = m_shown;
    {
        const QSignalBlocker quiet(m_list);
        m_list->clear();
        // What only this page has comes first, then what has another page; by name.
        QVector<app::CommandRow> commands = m_state.commands().table().commands;
        std::ranges::sort(commands, {}, [](const app::CommandRow& one) {
            const QString name = one.name();
            return std::pair(!actionOf(name).isEmpty() || !runsHere(name), name);
        });
        for (const app::CommandRow& command : commands) {
            QString all = command.name() + QLatin1Char(' ') + command.help;
            for (const app::CommandOption& option : command.options)
                all += QLatin1Char(' ') + option.name + QLatin1Char(' ') + option.help;
            const QStringList words = asked.split(QLatin1Char(' '), Qt::SkipEmptyParts);
            if (!std::all_of(words.begin(), words.end(), [&](const QString& word) {
                    return all.contains(word, Qt::CaseInsensitive);
                }))
                continue;
            auto* item = new QListWidgetItem(command.name(), m_list);
            item->setToolTip(tipText(command.help));
        }
        const auto found = m_list->findItems(before, Qt::MatchExactly);
        m_list->setCurrentItem(found.isEmpty() ? m_list->item(0) : found.front());
    }
    showCommand();
}

QStringList CommandWindow::listed() const {
    QStringList names;
    for (int i = 0; i < m_list->count(); ++i) names << m_list->item(i)->text();
    return names;
}

void CommandWindow::choose(const QString& command) {
    m_words->clear();
    const auto found = m_list->findItems(command, Qt::MatchExactly);
    if (!found.isEmpty()) m_list->setCurrentItem(found.front());
}

const app::CommandRow* CommandWindow::row() const {
    const auto& commands = m_state.commands().table().commands;
    const auto found = std::find_if(commands.begin(), commands.end(),
                                    [this](const auto& one) { return one.name() == m_shown; });
    return found == commands.end() ? nullptr : &*found;
}

void CommandWindow::showCommand() {
    const QListWidgetItem* item = m_list->currentItem();
    const QString name = item == nullptr ? QString() : item->text();
    if (name != m_shown || m_fields.isEmpty()) {
        m_shown = name;
        showForm();
    }
    refresh();
}

void CommandWindow::showForm() {
    m_fields.clear();
    auto* inside = new QWidget(m_form);
    auto* form = new QFormLayout(inside);
    form->setContentsMargins(0, 0, 8, 0);
    form->setHorizontalSpacing(12);
    form->setVerticalSpacing(8);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    const app::CommandRow* command = row();
    if (command != nullptr && runsHere(m_shown))
        for (const app::CommandOption& option : command->options) addOption(form, option);
    m_form->setWidget(inside);  // deletes the one before
    m_title->setText(command == nullptr ? QString() : QStringLiteral("lacuna ") + m_shown);
    const QString problem = m_state.commands().table().problem;
    m_help->setText(command != nullptr          ? command->help
                    : !problem.isEmpty()        ? problem
                    : m_words->text().isEmpty() ? tr("Reading which commands there are...")
                                                : tr("No command has these words."));
    const QAction* action = m_actions.find(actionOf(m_shown));
    m_page->setVisible(action != nullptr);
    if (action != nullptr) {
        const QString title = action->text().remove(QLatin1Char('&'));
        m_page->setText(title);
        m_page->setToolTip(tipText(tr("The window does the same there.")));
        setAccessible(m_page, title, tr("The window does the same there."));
    }
}

void CommandWindow::addOption(QFormLayout* form, const app::CommandOption& option) {
    app::CommandValues& given = m_values[m_shown];
    const QString model = m_state.model().view().path;
    if (option.positional && option.name == QLatin1String("model") && !given.contains(option.name))
        given[option.name] = model;
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addWidget(fieldFor(option, box));
    QLabel* help = captionLabel(option.help, box);
    help->setWordWrap(true);
    column->addWidget(help);
    QLabel* name =
        plainLabel(option.required ? tr("%1 (needed)").arg(option.name) : option.name, box);
    name->setBuddy(m_fields.value(option.name));
    form->addRow(name, box);
}

QWidget* CommandWindow::fieldFor(const app::CommandOption& option, QWidget* parent) {
    const QString name = option.name;
    const QString value = m_values.value(m_shown).value(name);
    const auto keep = [this, name](QWidget* field, const QString& help) {
        setAccessible(field, name, help);
        m_fields[name] = field;
    };
    if (option.value.isEmpty()) {
        auto* box = new QCheckBox(parent);
        box->setChecked(!value.isEmpty());
        connect(box, &QCheckBox::toggled, this,
                [this, name](bool on) { give(name, on ? QStringLiteral("on") : QString()); });
        keep(box, option.help);
        return box;
    }
    if (!option.choices.isEmpty()) {
        auto* choice = new KnobChoice(parent);
        choice->addItem(option.initial.isEmpty() ? tr("left out")
                                                 : tr("left out: %1").arg(option.initial));
        for (const QString& one : option.choices) choice->addItem(one, one);
        choice->setCurrentIndex(std::max(0, choice->findData(value)));
        connect(choice, &QComboBox::currentIndexChanged, this,
                [this, name, choice] { give(name, choice->currentData().toString()); });
        keep(choice, option.help);
        return choice;
    }
    auto* edit = new QLineEdit(value, parent);
    edit->setPlaceholderText(option.initial.isEmpty() ? option.value : option.initial);
    connect(edit, &QLineEdit::textChanged, this,
            [this, name](const QString& text) { give(name, text); });
    connect(edit, &QLineEdit::returnPressed, m_run, &QPushButton::click);
    keep(edit, option.help);
    return app::namesPath(option) ? withFileButton(edit, option) : edit;
}

QWidget* CommandWindow::withFileButton(QLineEdit* edit, const app::CommandOption& option) {
    auto* box = new QWidget(edit->parentWidget());
    auto* line = new QHBoxLayout(box);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(8);
    line->addWidget(edit, 1);
    auto* ask = new QPushButton(tr("Choose..."), box);
    ask->setAutoDefault(false);
    setAccessible(ask, tr("Choose a file: %1").arg(option.name));
    line->addWidget(ask);
    const bool folder = app::namesFolder(option);
    const bool output = app::namesOutput(option);
    using Want = FileQuestion::Want;
    const Want want =
        output ? (folder ? Want::NewFolder : Want::NewFile) : (folder ? Want::Folder : Want::File);
    const bool model = option.name == QLatin1String("model");
    connect(ask, &QPushButton::clicked, this, [this, edit, want, model, name = option.name] {
        m_files.ask(
            this, {.kind = model ? FileKind::Model : FileKind::Table, .want = want, .title = name},
            [edit](const QString& path) { edit->setText(path); });
    });
    return box;
}

void CommandWindow::give(const QString& option, const QString& value) {
    m_values[m_shown][option] = value;
    refresh();
}

void CommandWindow::refresh() {
    const app::CommandRunView& view = m_state.commands().view();
    const app::CommandRow* command = row();
    const bool here = command != nullptr && runsHere(m_shown);
    const app::CommandValues given = m_values.value(m_shown);
    const QStringList missing =
        command == nullptr ? QStringList() : app::missingOptions(*command, given);
    m_line->setText(here ? app::commandLine(app::commandWords(*command, given)) : QString());
    m_line->setCursorPosition(0);
    m_copy->setEnabled(here);
    const QString why = command == nullptr ? tr("Choose a command first.")
                        : view.running ? tr("A command is running. Wait for its end or stop it.")
                        : !here        ? tr("The window does this itself.")
                        : missing.isEmpty() ? QString()
                                            : tr("Still needed: %1.").arg(app::listed(missing));
    m_run->setEnabled(why.isEmpty());
    m_run->setToolTip(tipText(why));
    setAccessible(m_run, tr("Run the command"), why);
    m_stop->setVisible(view.running);
    m_stop->setEnabled(!view.stopping);
    m_progress->setVisible(view.running);
    showShare(*m_progress, view.share);
    setRole(m_sentence, view.problem ? QStringLiteral("bad") : QStringLiteral("secondary"));
    m_sentence->setText(view.running ? (view.progress.isEmpty() ? tr("Running...") : view.progress)
                        : view.line.isEmpty() ? why
                                              : view.sentence);
    m_save->setEnabled(!view.output.isEmpty());
}

void CommandWindow::saveOutput() {
    m_files.ask(
        this,
        {.kind = FileKind::Table,
         .want = FileQuestion::Want::NewFile,
         .title = tr("Save the output"),
         .name = QStringLiteral("lacuna-") +
                 QString(m_shown).replace(QLatin1Char(' '), QLatin1Char('-')) +
                 QStringLiteral(".txt")},
        [this](const QString& path) {
            const QString problem = m_state.commands().saveOutput(path);
            setRole(m_sentence,
                    problem.isEmpty() ? QStringLiteral("secondary") : QStringLiteral("bad"));
            m_sentence->setText(problem.isEmpty() ? tr("Written to %1.").arg(path) : problem);
        });
}

QString CommandWindow::line() const {
    return m_line->text();
}

QString CommandWindow::output() const {
    return m_output->toPlainText();
}

QString CommandWindow::sentence() const {
    return m_sentence->text();
}

}  // namespace lacuna::ui
