//! One wgpu row on one device, and a product by it with traps around every buffer.

use kreg::kernels::Target;
use kreg::kernels::reference::decode::{self, Format};
use kreg::kernels::reference::{Products, dot};
use kreg::wgpu::wgpu::{Buffer, BufferDescriptor, BufferUsages, MapMode, PollType};
use kreg::wgpu::{Device, Weights};
use kreg::{Backend, KernelId, Path, admit};

use super::devices::devices;
use super::support::verdict::assert_within;

/// Bytes before and behind everything that a kernel may read or write: a multiple of every device's alignment.
const TRAP: usize = 256;
/// An output that nobody has written.
const UNTOUCHED: u32 = 0x7fab_cdef;

/// A row on a device on which it, and no other, is selected.
pub struct Product {
    pub id: KernelId,
    pub format: &'static Format,
    pub device: Device,
    pub path: Path,
    on: String,
}

/// Every wgpu row on every device that has what it requires.
pub fn products() -> Vec<Product> {
    devices().iter().flat_map(|(name, device)| products_on(name, device)).collect()
}

/// Every wgpu row that a device can run; `KREG_TEST_ROW` restricts them to ids that end so, to look at one.
pub fn products_on(name: &str, device: &Device) -> Vec<Product> {
    let ids = KernelId::ALL.into_iter().filter(|id| id.backend() == Backend::Wgpu);
    let of_row = |id: KernelId| {
        let (row, qtype) = (id.row(), id.qtype()?);
        let described = device.described(Target::new("any", row.requires));
        let device = described.inspect_err(|why| eprintln!("{id}: not run on {name}: {why}")).ok()?;
        let path = admit(id.op(), id.backend(), qtype).unwrap();
        let format = decode::format(qtype.name()).unwrap();
        Some(Product { id, format, device, path, on: name.into() })
    };
    let products: Vec<Product> = ids.filter_map(of_row).collect();
    assert!(products.len() >= 7, "{name} runs {} rows", products.len());
    let only = std::env::var("KREG_TEST_ROW").unwrap_or_default();
    products.into_iter().filter(|product| product.id.as_str().ends_with(&only)).collect()
}

impl Product {
    /// The row and the device, for messages.
    pub fn name(&self) -> String {
        format!("{} on {}", self.id, self.on)
    }

    /// `W x`.
    pub fn run(&self, bytes: &[u8], rows: usize, cols: usize, x: &[f32]) -> Vec<f32> {
        let traps = |bytes: &[u8]| [&[0xff; TRAP], bytes, &[0xff; TRAP]].concat();
        let weights = self.device.upload(&traps(bytes)).unwrap();
        let slice = weights.slice(TRAP as u64..(TRAP + bytes.len()) as u64);
        let bound = Weights::bind(&self.device, self.path, slice, rows, cols);
        let bound = bound.unwrap_or_else(|why| panic!("{} [{rows}, {cols}]: {why}", self.name()));
        assert_eq!((bound.kernel(), bound.rows(), bound.cols()), (self.id, rows, cols));

        let input = self.device.upload(&traps(&bytes_of(x))).unwrap();
        let output =
            self.device.upload(&bytes_of(&vec![f32::from_bits(UNTOUCHED); rows + TRAP / 2])).unwrap();
        let inside = |n: usize| TRAP as u64..(TRAP + 4 * n) as u64;
        let mut encoder = self.device.wgpu().create_command_encoder(&Default::default());
        let ran =
            bound.gemv(&self.device, &mut encoder, input.slice(inside(cols)), output.slice(inside(rows)));
        assert_eq!(ran, Ok(self.id));
        self.device.queue().submit([encoder.finish()]);

        let all = read(&self.device, &output);
        let (before, rest) = all.split_at(TRAP / 4);
        let (y, behind) = rest.split_at(rows);
        assert!(before.iter().chain(behind).all(|y| y.to_bits() == UNTOUCHED), "{}: past y", self.name());
        y.to_vec()
    }

    /// Runs a product and holds it to the bound of the error model.
    #[track_caller]
    pub fn check(
        &self,
        what: &str,
        bytes: &[u8],
        rows: usize,
        cols: usize,
        x: &[f32],
    ) -> (Vec<f32>, Products) {
        let got = self.run(bytes, rows, cols, x);
        let wide: Vec<f64> = x.iter().map(|&x| x.into()).collect();
        let exact = dot(&self.format.decode(bytes, rows, cols), cols, &wide);
        self.assert_within(what, cols, &got, &exact);
        (got, exact)
    }

    /// Holds outputs over `cols` columns to the bound; WGSL lets subnormals count for zero.
    #[track_caller]
    pub fn assert_within(&self, what: &str, cols: usize, got: &[f32], exact: &Products) {
        assert_within(&format!("{} {what}", self.name()), cols, f32::MIN_POSITIVE.into(), got, exact);
    }
}

/// Little-endian bytes.
pub fn bytes_of(x: &[f32]) -> Vec<u8> {
    x.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// A buffer's contents, after everything that was submitted before.
pub fn read(device: &Device, buffer: &Buffer) -> Vec<f32> {
    let gpu = device.wgpu();
    let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
    let size = buffer.size();
    let copy = gpu.create_buffer(&BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
    let mut encoder = gpu.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(buffer, 0, &copy, 0, size);
    device.queue().submit([encoder.finish()]);
    copy.slice(..).map_async(MapMode::Read, |mapped| mapped.unwrap());
    gpu.poll(PollType::wait_indefinitely()).unwrap();
    let bytes = copy.slice(..).get_mapped_range().unwrap().to_vec();
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}
