package io.kindling.spark.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.Option.Scope;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.OptionException;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RowPlansTest {
    private final RowPlans plans = new RowPlans(
            new SessionSettings(Map.of(), new ModelNames(Map.of()), Set.of())
                    .forCalls(List.of(Scope.GENERATION, Scope.PROMPT)),
            Map.of(),
            LocalDateTime.of(2024, 1, 1, 0, 0));

    @Test
    void aBadValueIsTheFaultOfItsRow() {
        assertThat(plans.ofRow(Map.of("max_new_tokens", "0")).fault())
                .hasValueSatisfying(fault -> assertThat(fault.code()).isEqualTo(ErrorCode.INVALID_OPTION));
        assertThat(plans.ofRow(Map.of("max_new_tokens", "5"))
                        .plan()
                        .generation()
                        .maxNewTokens())
                .isEqualTo(5);
    }

    @Test
    void aNameThatTheCallDoesNotReadIsTheFaultOfTheQuery() {
        for (String name : List.of("max_tokens", "maxTokens", "max_new_tokenz")) {
            assertThatThrownBy(() -> plans.ofRow(Map.of(name, "5", "on_error", "null")))
                    .isInstanceOf(OptionException.class)
                    .hasMessageContaining("option '" + name + "'");
        }
    }
}
