//! Background tasks of the window door.

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The tasks of this door. Clones own the same ones.
#[derive(Clone, Default)]
pub struct Tasks {
    under_way: TaskTracker,
    stop: CancellationToken,
}

impl Tasks {
    /// Runs a task until it ends or the door closes.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let stop = self.stop.clone();
        let until_stopped = async move {
            // A closed door needs no result.
            let _ = stop.run_until_cancelled(task).await;
        };
        self.under_way.spawn_on(until_stopped, tauri::async_runtime::handle().inner());
    }

    /// Stops all tasks and waits for them.
    pub async fn end(&self) {
        self.stop.cancel();
        self.under_way.close();
        self.under_way.wait().await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[tokio::test]
    async fn endless_task_ends_with_the_door() {
        let tasks = Tasks::default();
        let held = Arc::new(());
        let of_task = Arc::clone(&held);
        tasks.spawn(async move {
            std::future::pending::<()>().await;
            drop(of_task);
        });

        tasks.end().await;

        assert_eq!(Arc::strong_count(&held), 1);
    }
}
