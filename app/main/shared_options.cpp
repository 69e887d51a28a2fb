#include "app/main/shared_options.h"

#include "engine/base/string_format.h"

namespace lacuna::cli {

void addGrid(CLI::App* command, GridArguments& a) {
    command->add_option("model", a.model, "Model (default: the bundled model)");
    command
        ->add_option("--methods", a.methods,
                     "am, am-uniform, am-reconstruction, keydiff, keydiff-adaptive, keep_low, "
                     "keep_high, recent, random, observation_window, observation_window-adaptive, "
                     "reconstruct, accumulated_attention, expected_attention, tri_attention, or "
                     "NAME:key=value:key=value; of a quality table: \"am coverage\", keydiff, ...")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->capture_default_str();
    command->add_option("--ratios", a.ratios, "How many times smaller to make the cache")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->capture_default_str();
    command->add_option("--budgets", a.budgets, "Slots per head, in addition to the ratios")
        ->delimiter(',')
        ->allow_extra_args(false);
    command->add_option(
        "--out", a.out,
        "Folder for table, CSV, JSON and picture; an interrupted run resumes there");
    command->add_flag("--fresh", a.fresh, "Start over instead of resuming");
    command->add_flag("--json", a.json, "Print JSON instead of the table");
    command->add_flag("--exact", a.exact, "float32 activations");
    addSettings(command, a.settings);
}

CLI::Validator numberBetween(double least, double most) {
    return CLI::Validator(
        [=](const std::string& text) {
            double value = 0;
            const bool read = CLI::detail::lexical_cast(text, value);
            const bool good = read && value >= least && value <= most;
            return good ? std::string()
                        : format("Value {} not in range {} to {}", text, least, most);
        },
        format("FLOAT in [{} - {}]", least, most));
}

void addSettings(CLI::App* command, std::vector<std::string>& into) {
    command
        ->add_option("--set", into,
                     "Setting as key=value; may be repeated. `lacuna settings` lists them")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->allow_extra_args(false)  // following words are not settings
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace lacuna::cli
