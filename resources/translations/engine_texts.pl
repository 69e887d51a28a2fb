#!/usr/bin/perl
# Prints the texts of the engine that the window shows, one per line: names and helps of settings, reasons, refusals,
# notes. The engine has no translations; its texts are English. Sources are parsed as text: adjacent string literals are
# joined, placeholders of a format ({}, {:.1f}) become %1, %2. Usage: engine_texts.pl ENGINE_FOLDER
# Exit status: 1 if a source with texts is in neither of the two lists below.
use strict;
use warnings;
use File::Find;
use open qw(:std :encoding(UTF-8));

my $engine = shift or die "usage: engine_texts.pl ENGINE_FOLDER\n";
my @sources = map { "$engine/$_" } (
    (map { "settings/$_.cpp" } qw(compression_setting_specs cache_setting_specs run_setting_specs sampling_setting_specs setting_spec setting_value
                                  compaction_reach config_check exclusions conversation_settings)),
    (map { "compress/$_.cpp" } qw(family_policy driver/query_source)),
    (map { "generate/$_.cpp" } qw(generation prompt bring_back text_pins batch_step sequence)),
    (map { "prefix/$_.cpp" } qw(prefix_pages prefix_store)),
    (map { "session/$_.cpp" } qw(jobs/automatic_precision cache_limit cache_presets jobs/cache_format_migrations compaction_supervisor
                                 engine jobs/head_profile_job memory_plan model_holder model_page prefix_sharing jobs/quality_jobs
                                 auto_restore jobs/rotation_calibration_job jobs/compaction_preview_job settings_service span_restorer text_pinner turn
                                 turn_runner)),
    'session/shortage.h', 'base/file.cpp', 'quality/comparison.cpp', 'quality/format_table.cpp', '../app/bench/table_items.cpp');

# Sources whose sentences stay English: modules that report on files, templates, grammars and caches (engine/values marks
# its own texts for lupdate), and the files below in modules with translated sources. A source with sentences that is in
# neither list is an error, so that the author of a new one makes this decision.
my %untranslated = map { $_ => 1 } (
    qw(format grammar kernels kv model recurrent report template tensor text values),
    (map { "base/$_" } qw(json.cpp json_reader.cpp log.cpp sqlite_statement.cpp string_format.cpp temporary_file.cpp thread_start.h work_budget.h)),
    (map { "compress/$_" } qw(driver/background_matching.cpp driver/compactor.cpp head_budgets.cpp head_profile.cpp matching/attention_matching.cpp
                              matching/buffer_pool.cpp matching/matching_budgets.cpp matching/matching_plan.cpp matching/span_attention.cpp
                              transform/bit_allocation.cpp transform/entropy_coder.cpp transform/transform_bundle.cpp transform/transform_codec.cpp)),
    (map { "generate/$_" } qw(block_drafter.cpp cache_shape.cpp drafter.cpp kept_information.cpp prompt_cache.cpp query_centres_file.cpp sampler.cpp stop_strings.cpp surrogate_file.cpp
                              text_pass.cpp)),
    (map { "host/$_" } qw(engine_host.cpp)),
    (map { "prefix/$_" } qw(disk_tier.cpp folder_files.cpp folder_sweep.cpp page_fidelity.cpp page_file.cpp page_index.cpp page_store.cpp
                            row_codecs.cpp store_files.cpp tier_survey.cpp transform_page_codec.cpp)),
    (map { "quality/$_" } qw(grid_items.cpp grid_plot.cpp grid_state.cpp head_ablation.cpp head_calibration.cpp layer_loss_run.cpp
                             precision_measurement.cpp quality_grid.cpp quality_table.cpp query_centres_run.cpp recall_cases.cpp
                             rotation_calibration.cpp shadow_run.cpp surrogate_fit.cpp table_files.cpp transform_calibration.cpp trial_cache.cpp)),
    (map { "session/$_" } qw(jobs/live_quality_monitor.cpp jobs/precision_job.cpp jobs/surrogate_job.cpp measured_settings.cpp prompt_cache_moves.cpp
                             read_facts.cpp running_model.cpp shortage.cpp)),
    (map { "settings/$_" } qw(config_json.cpp facts.cpp)),
);

# Single words: those of the model's page, where member names become labels ("kv_heads"), and the meanings of settings.
my @labels = ('Layers', 'Hidden', 'Heads', 'KV heads', 'Head size', 'Feed forward', 'Vocabulary', 'Tied embeddings', 'QKV bias',
              'QK norm', 'Norms', 'Activation', 'RMS epsilon', 'Precision', 'Window', 'Layers with window', 'Attention chunk', 'Attention sinks', 'yes', 'no', 'none', 'off',
              'before attention and feed-forward', 'GGUF version %1', '%1 tokens', 'base %1', 'dimensions %1',
              'pairs interleaved', 'pairs halves', 'scaling none', 'int8 in two terms', 'mean KL %1 from exact over %2 tokens',
              '%1 in two terms: mean KL %2 from exact over %3 tokens', '%1: mean KL %2 from exact over %3 tokens', 'int8 %1, above %2',
              'nothing was evicted, merged or coded', 'the answer ended before a token was drawn after the eviction');

my $literal = qr/"(?:[^"\\]|\\.)*"/;
my %seen;

# Returns whether a text is shown to the user: a name or help of a setting, a phrase, a heading of the model's page. Log
# lines (key={}), keys and Markdown tables are not.
sub isText {
    my ($text, $before, $source) = @_;
    return 0 if $text !~ /[A-Za-z]{2}/ || $text =~ /[a-z]=\{|\\n|^\W*$|^families\.|^the table (?:of policies|has no)|^(?:; )?(?:model \{\}; precision|rotation \{\} \{\}|damage |salt \{\}:)/;
    return 0 if $source =~ /comparison/ && $text !~ /evict|comparison/;    # rows of its table in Markdown
    return 1 if $before =~ /\.(label|help)\s*=\s*$/;
    return 1 if $before =~ /\.unit\s*=\s*$/ && $text =~ /^[A-Za-z]{2,}$/ && $text ne 'MiB';
    return 1 if $source =~ /model_page|cache_presets/ && $text =~ /^[A-Z][a-z]+$/;
    return $text =~ /[A-Za-z}] \S|\S [A-Za-z{]/ && $text =~ /[a-z]{2}/;
}

sub placed {
    my ($text) = @_;
    my $place = 0;
    $text =~ s/\\"/"/g;
    $text =~ s/\{(?::[^}]*)?\}/'%' . ++$place/ge;
    $text =~ s/\{\{/{/g;
    $text =~ s/\}\}/}/g;
    $text =~ s/^, |^; |^ +| +$//g;    # joined to others: looked up part by part
    return $text;
}

# The texts of a source, each once, as placed() returns them.
sub textsOf {
    my ($source) = @_;
    my @texts;
    open my $file, '<', $source or die "$source: $!\n";
    my $code = do { local $/; <$file> };
    $code =~ s{($literal)|//[^\n]*}{defined $1 ? $1 : ''}ge;
    $code =~ s/^#.*$//mg;
    $code =~ s/\bLACUNA_(?:REQUIRE|ASSERT)\([^;]*?\);//gs;
    while ($code =~ /((?:$literal\s*)+)/g) {
        my ($all, $from) = ($1, $-[0]);
        my $before = substr($code, $from > 40 ? $from - 40 : 0, $from > 40 ? 40 : $from);
        my $text = join '', map { substr $_, 1, -1 } $all =~ /$literal/g;
        next unless isText($text, $before, $source);
        $text = placed($text);
        push @texts, $text unless $text eq '' || $seen{$text}++;
    }
    return @texts;
}

print "$_\n" for grep { !$seen{$_}++ } @labels;
print "$_\n" for map { textsOf($_) } @sources;

my %listed = map { $_ => 1 } @sources;
my @forgotten;
find({no_chdir => 1, wanted => sub {
    return unless /\.(?:cpp|h)$/ && !$listed{$_};
    my ($module, $rest) = m{^\Q$engine\E/([^/]+)/(.*)$};
    return if !defined $module || $untranslated{$module} || $untranslated{"$module/$rest"};
    push @forgotten, $_ if textsOf($_);
}}, $engine);
my @gone = grep { !-e "$engine/$_" } keys %untranslated;
warn "$_ has texts, but engine_texts.pl neither lists it nor names it as untranslated\n" for sort @forgotten;
warn "engine_texts.pl names $_, which does not exist\n" for sort @gone;
exit 1 if @forgotten || @gone;
