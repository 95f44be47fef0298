//! llama.cpp through its public C interface, timed as its own `llama-bench` does.

use std::ffi::CString;
use std::path::Path;

use llama_cpp_sys_2 as sys;

use crate::Error;
use crate::engine::ggml::quiet;

/// A model in llama.cpp, with its threads.
pub struct Llama {
    model: *mut sys::llama_model,
    context: *mut sys::llama_context,
    pool: sys::ggml_threadpool_t,
}

impl Llama {
    /// Loads `path` for texts of `limit` tokens on `threads` threads; everything else is llama.cpp's default.
    ///
    /// # Errors
    /// When llama.cpp cannot.
    pub fn load(path: &Path, limit: usize, threads: usize) -> Result<Self, Error> {
        let file = CString::new(path.as_os_str().as_encoded_bytes())?;
        let (limit, threads) = (u32::try_from(limit)?, i32::try_from(threads)?);
        // SAFETY: the parameters are llama.cpp's own defaults with numbers changed; results are checked before use,
        // and what was made is freed by `drop`.
        unsafe {
            sys::llama_log_set(Some(quiet), std::ptr::null_mut());
            sys::llama_backend_init();
            let model = sys::llama_model_load_from_file(file.as_ptr(), sys::llama_model_default_params());
            if model.is_null() {
                return Err(format!("llama.cpp cannot load {}", path.display()).into());
            }
            let mut params = sys::llama_context_default_params();
            params.n_ctx = limit;
            params.n_threads = threads;
            params.n_threads_batch = threads;
            let context = sys::llama_init_from_model(model, params);
            let mut pool_params = sys::ggml_threadpool_params_default(threads);
            let pool = sys::ggml_threadpool_new(&mut pool_params);
            if context.is_null() || pool.is_null() {
                return Err("llama.cpp cannot make a context".into());
            }
            sys::llama_attach_threadpool(context, pool, std::ptr::null_mut());
            sys::ggml_threadpool_pause(pool);
            Ok(Self { model, context, pool })
        }
    }

    /// Begins a new text.
    pub fn clear(&mut self) {
        // SAFETY: the context is alive, and its memory with it. The threads wake for what follows.
        unsafe {
            sys::llama_memory_clear(sys::llama_get_memory(self.context), true);
            sys::ggml_threadpool_resume(self.pool);
        }
    }

    /// Appends `tokens` and computes the logits of what follows them.
    ///
    /// # Errors
    /// llama.cpp's status.
    pub fn feed(&mut self, tokens: &[u32]) -> Result<(), Error> {
        let mut tokens = tokens.iter().map(|&t| i32::try_from(t)).collect::<Result<Vec<_>, _>>()?;
        let len = i32::try_from(tokens.len())?;
        // SAFETY: the batch borrows `tokens`, which live until the call is over; the context is alive.
        let status = unsafe {
            let status = sys::llama_decode(self.context, sys::llama_batch_get_one(tokens.as_mut_ptr(), len));
            sys::llama_synchronize(self.context);
            status
        };
        if status == 0 { Ok(()) } else { Err(format!("llama_decode: {status}").into()) }
    }

    /// Lets the threads sleep while others are measured.
    pub fn rest(&mut self) {
        // SAFETY: nothing is being computed.
        unsafe { sys::ggml_threadpool_pause(self.pool) };
    }
}

impl Drop for Llama {
    fn drop(&mut self) {
        // SAFETY: made by `load`, freed once, users before what they use.
        unsafe {
            sys::llama_free(self.context);
            sys::ggml_threadpool_free(self.pool);
            sys::llama_model_free(self.model);
        }
    }
}
