//! Bootstrap intervals, and the same statistics of shuffled answers.

use super::LEVEL;
use crate::psychometrics::Undefined;
use crate::psychometrics::resampling::{Resampled, Scheme, TestStatistics, resample};
use crate::study::publish::Publisher;
use crate::study::results::{Inputs, done};

type Statistic = fn(&TestStatistics) -> Result<f64, Undefined>;

/// Resamples the test statistics.
pub fn compute(inputs: &Inputs, scheme: Scheme) -> Resampled {
    let (n, seed) = (inputs.options.remuestreos, inputs.options.semilla.into());
    resample(&inputs.data.responses, scheme, n, seed)
}

impl Publisher<'_> {
    /// Publishes the percentile intervals of the bootstrap.
    pub(in crate::study) fn bootstrap(&mut self) {
        let found = done(&self.results.bootstrap);
        self.value("intervalos.n", found.replicates.len());
        let statistics: [([&'static str; 3], Statistic); 3] = [
            (["intervalos.kr20_min", "intervalos.kr20_max", "intervalos.kr20_ee"], |s| s.kr20),
            (
                ["intervalos.r_mediana_min", "intervalos.r_mediana_max", "intervalos.r_mediana_ee"],
                |s| s.median_r,
            ),
            (
                ["intervalos.razon_phi_min", "intervalos.razon_phi_max", "intervalos.razon_phi_ee"],
                |s| s.eigenvalue_ratio,
            ),
        ];
        for ([low, high, error], statistic) in statistics {
            let interval = found.interval(statistic, 1.0 - LEVEL);
            self.value(low, interval.map(|i| i.low));
            self.value(high, interval.map(|i| i.high));
            self.value(error, interval.map(|i| i.standard_error));
        }
    }

    /// Publishes mean and 95th percentile of what shuffling leaves.
    pub(in crate::study) fn shuffle(&mut self) {
        let found = done(&self.results.shuffle);
        let statistics: [([&'static str; 2], Statistic); 4] = [
            (["nulos.barajado_kr20", "nulos.barajado_kr20_p95"], |s| s.kr20),
            (["nulos.barajado_r_mediana", "nulos.barajado_r_mediana_p95"], |s| s.median_r),
            (["nulos.barajado_phi_1", "nulos.barajado_phi_1_p95"], |s| s.first_eigenvalue),
            (["nulos.barajado_razon_phi", "nulos.barajado_razon_phi_p95"], |s| s.eigenvalue_ratio),
        ];
        for ([mean, p95], statistic) in statistics {
            // The upper end of the middle 90 % is the 95th percentile.
            let interval = found.interval(statistic, 1.0 - 2.0 * LEVEL);
            self.value(mean, interval.map(|i| i.mean));
            self.value(p95, interval.map(|i| i.high));
        }
    }
}
