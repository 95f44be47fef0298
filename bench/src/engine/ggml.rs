//! ggml's CPU backend through its public C interface: `ggml_mul_mat` on plain and on repacked weights.
//!
//! As llama.cpp does, extra buffer types are asked whether they take a product of this type, and the weights are then
//! laid out by the buffer when they are set.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::rc::Rc;

use llama_cpp_sys_2 as sys;

use super::{Budget, Engine, Matrix};
use crate::Error;

/// Alignment of tensors in a buffer of activations.
const ALIGNMENT: usize = 64;

/// The CPU backend with its threads.
pub struct Cpu {
    backend: sys::ggml_backend_t,
    pool: sys::ggml_threadpool_t,
}

impl Cpu {
    /// Starts `threads` threads.
    ///
    /// # Errors
    /// When ggml cannot.
    pub fn new(threads: usize) -> Result<Rc<Self>, Error> {
        let threads = i32::try_from(threads)?;
        // SAFETY: plain constructors; the results are checked before use.
        let (backend, pool) = unsafe {
            sys::ggml_log_set(Some(quiet), null_mut());
            let mut params = sys::ggml_threadpool_params_default(threads);
            (sys::ggml_backend_cpu_init(), sys::ggml_threadpool_new(&mut params))
        };
        if backend.is_null() || pool.is_null() {
            return Err("ggml has no CPU backend".into());
        }
        // SAFETY: both are alive, and the pool is freed after the backend (see `drop`).
        unsafe {
            sys::ggml_backend_cpu_set_n_threads(backend, threads);
            sys::ggml_backend_cpu_set_threadpool(backend, pool);
            sys::ggml_threadpool_pause(pool);
        }
        Ok(Rc::new(Self { backend, pool }))
    }

    /// The plain buffer type, then the extra ones.
    fn buffer_types(&self) -> Vec<sys::ggml_backend_buffer_type_t> {
        type Extra = unsafe extern "C" fn(sys::ggml_backend_dev_t) -> *mut sys::ggml_backend_buffer_type_t;
        // SAFETY: the backend is alive. The function behind this name has this type (ggml-backend.h), and returns a
        // list that ends with null, or null.
        unsafe {
            let mut types = vec![sys::ggml_backend_cpu_buffer_type()];
            let device = sys::ggml_backend_get_device(self.backend);
            let registry = sys::ggml_backend_dev_backend_reg(device);
            let name = c"ggml_backend_dev_get_extra_bufts".as_ptr();
            let extra = sys::ggml_backend_reg_get_proc_address(registry, name);
            if !extra.is_null() {
                let mut list = std::mem::transmute::<*mut c_void, Extra>(extra)(device);
                while !list.is_null() && !(*list).is_null() {
                    types.push(*list);
                    list = list.add(1);
                }
            }
            types
        }
    }
}

impl Drop for Cpu {
    fn drop(&mut self) {
        // SAFETY: nothing uses them any more: every engine holds an `Rc` of this.
        unsafe {
            sys::ggml_backend_free(self.backend);
            sys::ggml_threadpool_free(self.pool);
        }
    }
}

/// A log that keeps nothing: ggml tells of every tensor that it repacks.
pub(crate) unsafe extern "C" fn quiet(_: sys::ggml_log_level, _: *const c_char, _: *mut c_void) {}

/// Descriptions of tensors and graphs; freed with them.
struct Context(*mut sys::ggml_context);

impl Context {
    /// Room for `tensors` tensors and `graphs` graphs of one node, without their data.
    fn new(tensors: usize, graphs: usize) -> Result<Self, Error> {
        // SAFETY: plain constructors; ggml allocates the memory itself when it gets none.
        let context = unsafe {
            let graph = sys::ggml_graph_overhead_custom(8, false);
            let mem_size = tensors * sys::ggml_tensor_overhead() + graphs * graph + 1024;
            sys::ggml_init(sys::ggml_init_params { mem_size, mem_buffer: null_mut(), no_alloc: true })
        };
        if context.is_null() { Err("ggml_init failed".into()) } else { Ok(Self(context)) }
    }

    /// A tensor without data: `rows` rows of `cols` values of a GGML type.
    fn tensor(&self, ggml_type: u32, cols: usize, rows: usize) -> *mut sys::ggml_tensor {
        // SAFETY: the context is alive and has room: `new` was told how many tensors come.
        unsafe { sys::ggml_new_tensor_2d(self.0, ggml_type, cols as i64, rows as i64) }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: nobody else frees it.
        unsafe { sys::ggml_free(self.0) };
    }
}

/// Memory of tensors.
struct Buffer(sys::ggml_backend_buffer_t);

impl Buffer {
    fn checked(buffer: sys::ggml_backend_buffer_t) -> Result<Self, Error> {
        if buffer.is_null() { Err("ggml cannot allocate".into()) } else { Ok(Self(buffer)) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: nobody else frees it.
        unsafe { sys::ggml_backend_buffer_free(self.0) };
    }
}

/// The products of every copy with `m` activation rows; fields are freed in this order.
struct Graphs {
    m: usize,
    x: *mut sys::ggml_tensor,
    y: *mut sys::ggml_tensor,
    each: Vec<*mut sys::ggml_cgraph>,
    _buffer: Buffer,
    _context: Context,
}

/// ggml with its weights in one type of buffer; fields are freed in this order.
pub struct Ggml {
    graphs: Option<Graphs>,
    weights: Vec<*mut sys::ggml_tensor>,
    next: usize,
    what: String,
    rows: usize,
    cols: usize,
    _buffer: Buffer,
    _context: Context,
    cpu: Rc<Cpu>,
}

impl Ggml {
    /// One engine for every buffer type that takes this weight type; none when ggml lacks it.
    ///
    /// # Errors
    /// When ggml cannot allocate.
    pub fn ways(cpu: &Rc<Cpu>, matrix: &Matrix) -> Result<Vec<Self>, Error> {
        // Ids from 128 up are not GGML's.
        if matrix.qtype.ggml_type() >= 128 {
            return Ok(Vec::new());
        }
        let mut ways = Vec::new();
        for (i, buffer_type) in cpu.buffer_types().into_iter().enumerate() {
            if i == 0 || takes(cpu, buffer_type, matrix)? {
                ways.extend(Self::new(cpu, buffer_type, i > 0, matrix)?);
            }
        }
        Ok(ways)
    }

    /// `None` when an `extra` buffer type keeps the plain layout after all.
    fn new(
        cpu: &Rc<Cpu>,
        buffer_type: sys::ggml_backend_buffer_type_t,
        extra: bool,
        matrix: &Matrix,
    ) -> Result<Option<Self>, Error> {
        let Matrix { qtype, rows, cols, bytes, copies } = matrix;
        let context = Context::new(*copies, 0)?;
        let weights: Vec<_> = (0..*copies).map(|_| context.tensor(qtype.ggml_type(), *cols, *rows)).collect();
        // SAFETY: the context and the buffer type are alive.
        let buffer = unsafe { sys::ggml_backend_alloc_ctx_tensors_from_buft(context.0, buffer_type) };
        let buffer = Buffer::checked(buffer)?;
        // SAFETY: the tensors have just been given data of the size that ggml computes for them, and it is checked
        // that `bytes` are as many. The name is a string that lives as long as the program.
        let (plain, what) = unsafe {
            sys::ggml_backend_buffer_set_usage(buffer.0, sys::GGML_BACKEND_BUFFER_USAGE_WEIGHTS);
            for &weight in &weights {
                if sys::ggml_nbytes(weight) != bytes.len() {
                    return Err(format!("{}: ggml stores it in another size", qtype.name()).into());
                }
                sys::ggml_backend_tensor_set(weight, bytes.as_ptr().cast(), 0, bytes.len());
            }
            let name = CStr::from_ptr(sys::ggml_backend_buft_name(buffer_type));
            ((*weights[0]).extra.is_null(), name.to_string_lossy().into_owned())
        };
        let (rows, cols, cpu) = (*rows, *cols, Rc::clone(cpu));
        let way = Self {
            graphs: None,
            weights,
            next: 0,
            what,
            rows,
            cols,
            _buffer: buffer,
            _context: context,
            cpu,
        };
        Ok((!(extra && plain)).then_some(way))
    }

    /// One graph for each copy. They share activations and products, as kreg's calls do.
    fn graphs(&self, m: usize) -> Result<Graphs, Error> {
        let copies = self.weights.len();
        let context = Context::new(copies + 1, copies)?;
        let x = context.tensor(sys::GGML_TYPE_F32, self.cols, m);
        let x_len = (4 * m * self.cols).next_multiple_of(ALIGNMENT);
        let y_len = (4 * m * self.rows).next_multiple_of(ALIGNMENT);
        // SAFETY: the backend is alive.
        let buffer = unsafe { sys::ggml_backend_alloc_buffer(self.cpu.backend, x_len + y_len + ALIGNMENT) };
        let buffer = Buffer::checked(buffer)?;
        let (mut y, mut each) = (null_mut(), Vec::with_capacity(copies));
        // SAFETY: the context has room for all of this, and the buffer for `x` and, behind it, one `y` of
        // `[m, rows]` f32, which every product writes.
        unsafe {
            let base = sys::ggml_backend_buffer_get_base(buffer.0);
            sys::ggml_backend_tensor_alloc(buffer.0, x, base);
            for &weight in &self.weights {
                y = sys::ggml_mul_mat(context.0, weight, x);
                sys::ggml_backend_tensor_alloc(buffer.0, y, base.byte_add(x_len));
                let graph = sys::ggml_new_graph_custom(context.0, 8, false);
                sys::ggml_build_forward_expand(graph, y);
                each.push(graph);
            }
        }
        Ok(Graphs { m, x, y, each, _buffer: buffer, _context: context })
    }
}

/// Whether a buffer type takes products with this weight type, asked as llama.cpp asks: with an empty buffer.
fn takes(cpu: &Cpu, buffer_type: sys::ggml_backend_buffer_type_t, matrix: &Matrix) -> Result<bool, Error> {
    let context = Context::new(3, 0)?;
    let weight = context.tensor(matrix.qtype.ggml_type(), matrix.cols, matrix.rows);
    let x = context.tensor(sys::GGML_TYPE_F32, matrix.cols, 1);
    // SAFETY: the context has room for three tensors, and the weight leaves the buffer before either is freed.
    unsafe {
        let buffer = Buffer::checked(sys::ggml_backend_buft_alloc_buffer(buffer_type, 0))?;
        (*weight).buffer = buffer.0;
        let product = sys::ggml_mul_mat(context.0, weight, x);
        let takes = sys::ggml_backend_dev_supports_op(sys::ggml_backend_get_device(cpu.backend), product);
        (*weight).buffer = null_mut();
        Ok(takes)
    }
}

impl Engine for Ggml {
    fn name(&self) -> &'static str {
        "ggml"
    }

    fn what(&self) -> String {
        self.what.clone()
    }

    fn turn(&mut self, x: &[f32], budget: &Budget) -> Result<Vec<f64>, Error> {
        let m = x.len() / self.cols;
        if self.graphs.as_ref().is_none_or(|g| g.m != m) {
            self.graphs = Some(self.graphs(m)?);
        }
        let Some(graphs) = &self.graphs else { return Err("no graphs".into()) };
        // SAFETY: `x` holds the `[m, cols]` f32 that the tensor holds. The pool is this backend's.
        unsafe {
            sys::ggml_backend_tensor_set(graphs.x, x.as_ptr().cast(), 0, size_of_val(x));
            sys::ggml_threadpool_resume(self.cpu.pool);
        }
        let turn = budget.sample(|| {
            let graph = graphs.each[self.next % graphs.each.len()];
            self.next += 1;
            // SAFETY: every tensor of the graph has its data.
            match unsafe { sys::ggml_backend_graph_compute(self.cpu.backend, graph) } {
                sys::GGML_STATUS_SUCCESS => Ok(()),
                status => Err(format!("ggml_backend_graph_compute: {status}").into()),
            }
        });
        // SAFETY: no graph is being computed. The threads sleep while others are measured.
        unsafe { sys::ggml_threadpool_pause(self.cpu.pool) };
        turn
    }

    fn output(&self) -> Result<Vec<f32>, Error> {
        let graphs = self.graphs.as_ref().ok_or("no product yet")?;
        let mut y = vec![0f32; graphs.m * self.rows];
        // SAFETY: `y` has the size of the tensor.
        unsafe { sys::ggml_backend_tensor_get(graphs.y, y.as_mut_ptr().cast(), 0, size_of_val(&*y)) };
        Ok(y)
    }
}
